import type { Claims, HeldSession } from '@doorledger/event-log';

export interface Run {
  readonly key: string;
  readonly turnId: string;
  readonly runId: string;
}

/** Half way between two renewals a lapse is still 15 s off. */
const RENEW_EVERY_MS = 10_000;
/** L2: what a host may send this long after it began its last standing record of the run. */
const SEND_WINDOW_MS = 10_000;

/**
 * Keeps a standing run alive (`turn.renewed` every 10 s) until it is released, and tells when the session's fold says that
 * somebody or something else ended the run.
 */
export class Lease {
  #ended?: string;
  #stoodFrom = performance.now();
  readonly #timer: NodeJS.Timeout;
  readonly #unwatch: () => void;

  constructor(run: Run, held: HeldSession, claims: Claims, onEnded: () => void) {
    const { key, turnId, runId } = run;
    this.#timer = setInterval(() => {
      const from = performance.now();
      claims.append(key, [{ type: 'turn.renewed', data: { turnId, runId } }]).then(
        ([met]) => met!.verdict.stands && this.stood(from),
        () => {},
      );
    }, RENEW_EVERY_MS);
    this.#timer.unref();
    this.#unwatch = held.watch((effect) => {
      if (effect.kind !== 'run-ended' || effect.runId !== runId) return;
      this.#ended = effect.how;
      // What ends by its own word has nothing left to stop; to abort costs every turn an error with a stack.
      if (effect.how !== 'completed' && effect.how !== 'paused') onEnded();
    });
  }

  /** How the run ended; undefined while it stands. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** A record of the run stood whose append began at `from` (performance.now()). */
  stood(from: number): void {
    this.#stoodFrom = Math.max(this.#stoodFrom, from);
  }

  /** L2: by the host's own clock, used only to refuse. */
  readonly maySend = (): boolean => this.#ended === undefined && performance.now() - this.#stoodFrom < SEND_WINDOW_MS;

  release(): void {
    clearInterval(this.#timer);
    this.#unwatch();
  }
}
