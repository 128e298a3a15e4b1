import { limits } from './limits.js';

interface Second {
  startsAt: number;
  records: number;
}

const SECOND_MS = 1000;

/** Tells a flood from single refusals, cause by cause (E6). */
export class FloodGate {
  readonly #seconds = new Map<string, Second>();

  /** Whether a refusal of this cause at `at` is still a record of its own. */
  lets(cause: string, at: number): boolean {
    const second = this.#seconds.get(cause);
    if (!second) {
      // Causes come from our own code, not from callers: to forget them all is a burst of records and nothing else.
      if (this.#seconds.size >= limits.openCounts) this.#seconds.clear();
      this.#seconds.set(cause, { startsAt: at, records: 1 });
      return true;
    }
    if (at >= second.startsAt + SECOND_MS || at < second.startsAt) {
      second.startsAt = at;
      second.records = 0;
    }
    return second.records++ < limits.recordsPerCause;
  }
}
