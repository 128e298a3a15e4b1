import { setTimeout as sleep } from 'node:timers/promises';

export interface OutageOptions {
  /** The store does not answer; everything waits and is tried again. Told once each time. */
  readonly onOutage?: (error: unknown) => void;
  /** First wait after a store error, ms; it doubles up to 5 s. Default 100. */
  readonly retryMs?: number;
}

const LAST_RETRY_MS = 5000;
/** A store that hangs holds nobody up for longer who gives up. */
const LAST_ANSWER_MS = 500;

/** Who asks a store and waits while it is away. Reading and writing have one each: that one is answered says nothing of the other. */
export class Outage {
  readonly #options: OutageOptions;
  readonly #giveUp: AbortSignal;
  #error?: unknown;

  constructor(options: OutageOptions, giveUp: AbortSignal) {
    this.#options = options;
    this.#giveUp = giveUp;
  }

  /** The store's last error, while it does not answer. */
  get error(): unknown {
    return this.#error;
  }

  /** Asks until there is an answer: nothing is dropped. Rejects once `giveUp` is aborted. */
  async untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (let wait = this.#options.retryMs ?? 100; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      try {
        const answer = await untilGivenUp(ask(), this.#giveUp);
        this.#error = undefined;
        return answer;
      } catch (error) {
        if (this.#giveUp.aborted) throw error;
        const isNew = this.#error === undefined;
        this.#error = error;
        if (isNew) this.#options.onOutage?.(error);
      }
      await sleep(wait, undefined, { signal: this.#giveUp });
    }
  }
}

/** What is asked when it is given up has a last moment to be answered. */
function untilGivenUp<T>(answer: Promise<T>, giveUp: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): unknown => setTimeout(() => reject(giveUp.reason as Error), LAST_ANSWER_MS);
    if (giveUp.aborted) leave();
    else giveUp.addEventListener('abort', leave, { once: true });
    answer.then(resolve, reject).finally(() => giveUp.removeEventListener('abort', leave));
  });
}
