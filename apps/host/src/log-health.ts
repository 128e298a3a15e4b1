import { topics } from '@doorledger/contracts';
import { AppendIndefiniteError, type EventLog, type NewRecord, type Position } from '@doorledger/event-log';

/** Refusals that every record would get. */
const ofTheLog = new Set(['ERR_DISK_FULL', 'ERR_LOG_WRITE', 'ERR_LOG_STOPPED', 'ERR_LOG_CLOSED', 'ERR_LOG_UNREACHABLE']);

/** A log that leaves a small question unanswered for so long is down. */
const SILENT_MS = 4000;

/**
 * Passes appends on and remembers whether the last one went through (E7): a host serves nothing while the log is known down. An append
 * to brokers that hang is told of only after its whole deadline, so a small question is asked between.
 */
export class LogHealth implements Pick<EventLog, 'append'> {
  #down?: string;
  #askedAt?: number;
  #isUnreachable = false;

  constructor(
    private readonly log: Pick<EventLog, 'append' | 'ends'>,
    private readonly elapsed: () => number = () => performance.now(),
  ) {}

  /** Why the log is down, by its error's code; undefined while it answers and appends go through. */
  get down(): string | undefined {
    const isSilent = this.#askedAt !== undefined && this.elapsed() - this.#askedAt > SILENT_MS;
    return this.#down ?? (this.#isUnreachable || isSilent ? 'ERR_LOG_UNREACHABLE' : undefined);
  }

  /** Asks the log a small question, unless one waits for its answer. Never rejects. */
  async probe(): Promise<void> {
    if (this.#askedAt !== undefined) return;
    this.#askedAt = this.elapsed();
    try {
      await this.log.ends(topics.system.name);
      this.#isUnreachable = false;
    } catch {
      this.#isUnreachable = true;
    } finally {
      this.#askedAt = undefined;
    }
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
