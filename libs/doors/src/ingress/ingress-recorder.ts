import { encode, eventOf, topics, type EventOrigin, type FactData } from '@doorledger/contracts';
import { AppendIndefiniteError, type EventLog } from '@doorledger/event-log';
import { setTimeout as sleep } from 'node:timers/promises';

/** An ingress record before it has its place (spec 5). */
export type IngressEntry = Omit<FactData<'ingress.recorded'>, 'hostId' | 'bootId' | 'seq'>;

export interface IngressRecorderOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly hostId: string;
  readonly bootId: string;
  readonly origin: EventOrigin;
  /** Records not yet durable; past it the host is not ready and new records wait. */
  readonly maxPending?: number;
}

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;

/** Refusals for a cause that goes by itself, or when an operator has freed some space. */
const passing = new Set(['ERR_DISK_FULL', 'ERR_LOG_BUSY', 'ERR_LOG_WRITE']);

/** Whether the same record may get onto the log later. */
const mayPass = (error: unknown): boolean => error instanceof AppendIndefiniteError || passing.has((error as { code?: string }).code ?? '');

/**
 * Files one record per request under a gapless place in this host's count (E11). A record whose append is indefinite, or that the
 * log has no space for now, is appended again under the same event id until it is known or the recorder closes.
 */
export class IngressRecorder {
  readonly #options: IngressRecorderOptions;
  readonly #pending = new Set<number>();
  readonly #filing = new Set<Promise<void>>();
  #lastSeq = 0;
  #lost = 0;
  #closed = false;

  constructor(options: IngressRecorderOptions) {
    this.#options = options;
  }

  /** The last place given out. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The highest place before which every record is durable. */
  get durableSeq(): number {
    const oldest = this.#pending.values().next();
    return oldest.done ? this.#lastSeq : oldest.value - 1;
  }

  /** Why this host should take no more requests, if it should not. */
  get problem(): string | undefined {
    const { maxPending = 10_000 } = this.#options;
    if (this.#pending.size > maxPending) return `${this.#pending.size} ingress records wait for the log`;
    return this.#lost > 0 ? `${this.#lost} ingress records could not be written` : undefined;
  }

  /** Takes a place now; resolves when the record is durable. Rejects only when it never will be. */
  file(entry: IngressEntry): Promise<void> {
    const filing = this.#file(entry);
    this.#filing.add(filing);
    const done = () => void this.#filing.delete(filing);
    filing.then(done, done);
    return filing;
  }

  async #file(entry: IngressEntry): Promise<void> {
    const { hostId, bootId, origin } = this.#options;
    const seq = ++this.#lastSeq;
    this.#pending.add(seq);
    try {
      const event = eventOf({ type: 'ingress.recorded', data: { ...entry, hostId, bootId, seq } }, origin);
      await this.#append({ key: entry.sessionRef ?? hostId, ...encode(event) });
    } catch (error) {
      this.#lost++;
      throw error;
    } finally {
      this.#pending.delete(seq);
    }
  }

  /** Resolves when no record waits for the log any more. */
  async flushed(): Promise<void> {
    await Promise.allSettled(this.#filing);
  }

  /** Stops appending again what the log does not confirm. */
  close(): void {
    this.#closed = true;
  }

  async #append(record: Parameters<EventLog['append']>[1][number]): Promise<void> {
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      try {
        await this.#options.log.append(topics.ingress.name, [record]);
        return;
      } catch (error) {
        if (this.#closed || !mayPass(error)) throw error;
      }
      await sleep(wait, undefined, { ref: false });
    }
  }
}
