import { setTimeout as sleep } from 'node:timers/promises';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import type { Connection } from './connection.js';
import { RequestError } from './request-error.js';

/** One request as somebody else's door decided it: the fields of docs/spec/5-ingress.md without a place, and no text of anybody. */
export interface IngressRecord {
  /** When the answer was given, epoch ms. */
  readonly at: number;
  readonly door: 'turn' | 'session-op' | 'artifact' | 'request' | 'conversation' | 'api';
  readonly outcome:
    | 'served'
    | 'identity-refused'
    | 'verifier-unavailable'
    | 'admission-refused'
    | 'session-refused'
    | 'cross-site-refused'
    | 'refused'
    | 'failed';
  readonly bearerPresent: boolean;
  readonly durationMs: number;
  readonly op?: string;
  readonly errorCode?: string;
  readonly errorName?: string;
  readonly identityFailure?: string;
  readonly claimedUser?: true;
  /** 32 hex digits, made by a keyed hash. */
  readonly userRef?: string;
  readonly sessionRef?: string;
  readonly admission?: 'allow' | 'queue' | 'refuse';
  readonly turnArtifactsFailure?: string;
  readonly turnId?: string;
}

export interface IngressSinkOptions {
  /** Which door the records are of: 1 to 64 letters, digits, `.`, `_` and `-`. */
  readonly door: string;
  /** Records that wait for the log; past it they are lost, and counted. */
  readonly maxWaiting?: number;
  /** Told of each loss and its cause. */
  readonly onLost?: (records: number, cause: unknown) => void;
}

const BATCH = 200;
const GATHER_MS = 50;
const AGAIN_MS = 1000;
const ANSWERS_WITHIN_MS = 15_000;
/** A token that has ended, or too many requests: another one may be let in. */
const PASSING = new Set([401, 429]);

interface Placed extends IngressRecord {
  readonly id: string;
  readonly seq: number;
}

/** Files records of somebody else's door (N41), off its path: in order, in batches, each once however often a batch is sent. */
export class IngressSink {
  readonly #connection: Connection;
  readonly #options: IngressSinkOptions;
  readonly #bootId = uuidv4();
  #waiting: Placed[] = [];
  #lastSeq = 0;
  #lost = 0;
  #running?: Promise<void>;
  #isClosed = false;

  constructor(connection: Connection, options: IngressSinkOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Records that are on no log, and never will be. */
  get lost(): number {
    return this.#lost;
  }

  /** Takes a record and returns at once. Never throws. */
  readonly file = (record: IngressRecord): void => {
    const { maxWaiting = 10_000 } = this.#options;
    const seq = ++this.#lastSeq;
    if (this.#isClosed || this.#waiting.length >= maxWaiting) return this.#lose(1, new Error('Too many records wait for the log.'));
    this.#waiting.push({ ...record, id: uuidv7(), seq });
    this.#running ??= this.#run();
  };

  /** Resolves when every record is on the log, or lost. */
  async flushed(): Promise<void> {
    await this.#running;
  }

  /** Sends what waits once more and ends; what the log does not take then is lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (!this.#isClosed) await sleep(GATHER_MS);
      const batch = this.#waiting.slice(0, BATCH);
      const taken = await this.#send(batch);
      this.#waiting = this.#waiting.slice(taken);
    }
    this.#running = undefined;
  }

  /** How many of them need not be sent again. */
  async #send(records: readonly Placed[]): Promise<number> {
    const { door } = this.#options;
    const body = { door, bootId: this.#bootId, records };
    try {
      await this.#connection.json({
        method: 'POST',
        path: '/v1/ledger/ingress',
        body,
        repeating: 'repeatable',
        timeoutMs: ANSWERS_WITHIN_MS,
      });
      return records.length;
    } catch (error) {
      return this.#afterRefusal(records, error);
    }
  }

  async #afterRefusal(records: readonly Placed[], error: unknown): Promise<number> {
    const { status = 503, details } = error instanceof RequestError ? error : { status: 400, details: {} };
    const { index } = details as { readonly index?: number };
    const isFinal = status < 500 && !PASSING.has(status);
    if (isFinal && index !== undefined && index < records.length) {
      // One record cannot be filed: those before it go once more without it, and it alone is lost.
      const before = index > 0 ? await this.#send(records.slice(0, index)) : 0;
      if (before < index) return before;
      this.#lose(1, error);
      return index + 1;
    }
    if (isFinal || this.#isClosed) {
      this.#lose(records.length, error);
      return records.length;
    }
    await sleep(AGAIN_MS);
    return 0;
  }

  #lose(records: number, cause: unknown): void {
    this.#lost += records;
    this.#options.onLost?.(records, cause);
  }
}
