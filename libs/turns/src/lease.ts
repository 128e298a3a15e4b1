import type { Claims, HeldSession } from '@doorledger/event-log';

export interface Run {
  readonly key: string;
  readonly turnId: string;
  readonly runId: string;
}

/** Half way between two renewals a lapse is still 15 s off. */
const RENEW_EVERY_MS = 10_000;

/**
 * Keeps a standing or waiting run alive (`turn.renewed` every 10 s) until it is ended, and tells by its signal when the
 * session's fold says that the run stands no more.
 */
export class Lease {
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #unwatch: () => void;

  constructor(run: Run, held: HeldSession, claims: Claims) {
    const { key, turnId, runId } = run;
    this.#timer = setInterval(() => {
      claims.append(key, [{ type: 'turn.renewed', data: { turnId, runId } }]).catch(() => {});
    }, RENEW_EVERY_MS);
    this.#timer.unref();
    this.#unwatch = held.watch((effect) => {
      if (effect.kind === 'run-ended' && effect.runId === runId) this.#lost.abort(effect.how);
    });
  }

  /** Aborts with how the run ended, whoever ended it. */
  get ended(): AbortSignal {
    return this.#lost.signal;
  }

  release(): void {
    clearInterval(this.#timer);
    this.#unwatch();
  }
}
