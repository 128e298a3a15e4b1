import { AppendIndefiniteError, type EventLog, type NewRecord, type Position } from '@doorledger/event-log';

/** Refusals that every record would get. */
const ofTheLog = new Set(['ERR_DISK_FULL', 'ERR_LOG_WRITE', 'ERR_LOG_STOPPED', 'ERR_LOG_CLOSED']);

/** Passes appends on and remembers whether the last one went through (E7): a host serves nothing while the log is known down. */
export class LogHealth implements Pick<EventLog, 'append'> {
  #down?: string;

  constructor(private readonly log: Pick<EventLog, 'append'>) {}

  /** The class of the last append's error; undefined while appends go through. */
  get down(): string | undefined {
    return this.#down;
  }

  async append(topic: string, records: readonly NewRecord[]): Promise<Position[]> {
    try {
      const positions = await this.log.append(topic, records);
      this.#down = undefined;
      return positions;
    } catch (error) {
      const { code } = error as { code?: string };
      // A record that is refused for itself says nothing of the log.
      if (error instanceof AppendIndefiniteError || (code !== undefined && ofTheLog.has(code))) this.#down = code;
      throw error;
    }
  }
}
