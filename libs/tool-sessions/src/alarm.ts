import { outOfTrace } from '@doorledger/contracts';
import type { Clock } from './clock.js';

/** One timer for the next thing that is due. It is set again only when something is due sooner, or after it rang. */
export class Alarm {
  #at?: number;
  #callOff?: () => void;

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  /** Rings at this reading of the clock or earlier. */
  setBy(at: number): void {
    if (this.#at !== undefined && this.#at <= at) return;
    this.clear();
    this.#at = at;
    const ring = () => {
      this.#at = undefined;
      this.ring();
    };
    // Whoever sets it: what is due then is of nobody's request.
    this.#callOff = outOfTrace(() => this.clock.after(Math.max(0, at - this.clock.now()), ring));
  }

  clear(): void {
    if (this.#at === undefined) return;
    this.#at = undefined;
    this.#callOff?.();
  }
}
