import { encode, eventOf, topics, type EventOrigin } from '@doorledger/contracts';
import { LEASE_MS, type EventLog } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';

export interface SweepOptions {
  readonly hostId: string;
  readonly ledger: Pick<LedgerReader, 'openRunsQuietSince'>;
  readonly log: Pick<EventLog, 'append'>;
  readonly origin: EventOrigin;
  /** Ms between two sweeps, give or take a quarter. */
  readonly everyMs?: number;
  /** What else is due when a sweep is. */
  readonly also?: () => Promise<unknown>;
  readonly onError?: (error: unknown) => void;
}

/** The host guesses by its own clock: a little late is better than a void record. */
const MARGIN_MS = 2000;
const AT_ONCE = 100;

/** L12: appends what nobody else would. A host with nothing due pays one query. */
export class Sweep {
  readonly #options: SweepOptions;
  #timer?: NodeJS.Timeout;
  #closed = false;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  start(): void {
    const { everyMs = 5000, also, onError } = this.#options;
    const wait = everyMs * (0.75 + Math.random() / 2);
    this.#timer = setTimeout(() => {
      void Promise.all([this.sweep(), also?.()])
        .catch((error: unknown) => onError?.(error))
        .finally(() => this.#closed || this.start());
    }, wait);
    this.#timer.unref();
  }

  /** One sweep: says of every run that has been silent past its lease that it lapsed. The fold decides whether it did. */
  async sweep(): Promise<number> {
    const { ledger, log, origin, hostId } = this.#options;
    const quiet = await ledger.openRunsQuietSince(origin.now() - LEASE_MS - MARGIN_MS, AT_ONCE);
    await Promise.all(
      quiet.map(({ sessionKey, turnId, runId }) =>
        log.append(topics.session.name, [
          { key: sessionKey, ...encode(eventOf({ type: 'turn.lapsed', data: { turnId, runId, by: hostId } }, origin)) },
        ]),
      ),
    );
    return quiet.length;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}
