import type { Claims, HeldSession } from '@doorledger/event-log';

export interface Run {
  readonly key: string;
  readonly turnId: string;
  readonly runId: string;
}

/** Half way between two renewals a lapse is still 15 s off. */
const RENEW_EVERY_MS = 10_000;

/**
 * Keeps a standing run alive (`turn.renewed` every 10 s) until it is released, and tells when the session's fold says that
 * the run stands no more, whoever ended it.
 */
export class Lease {
  #ended?: string;
  readonly #timer: NodeJS.Timeout;
  readonly #unwatch: () => void;

  constructor(run: Run, held: HeldSession, claims: Claims, onEnded: () => void) {
    const { key, turnId, runId } = run;
    this.#timer = setInterval(() => {
      claims.append(key, [{ type: 'turn.renewed', data: { turnId, runId } }]).catch(() => {});
    }, RENEW_EVERY_MS);
    this.#timer.unref();
    this.#unwatch = held.watch((effect) => {
      if (effect.kind !== 'run-ended' || effect.runId !== runId) return;
      this.#ended = effect.how;
      onEnded();
    });
  }

  /** How the run ended; undefined while it stands. */
  get ended(): string | undefined {
    return this.#ended;
  }

  release(): void {
    clearInterval(this.#timer);
    this.#unwatch();
  }
}
