import { limits } from './limits.js';
import { OpenCount } from './open-count.js';

interface Page {
  readonly count: OpenCount;
  /** The window it is of: it ends at `endsAt` by the host's clock. */
  readonly startsAt: number;
  readonly endsAt: number;
}

export interface CountBookOptions {
  readonly now: () => number;
  /** Takes a count that is closed; false where there is no room for it yet. */
  readonly onClosed: (count: OpenCount) => boolean;
}

/** The counts that are open, one per reason; each is closed at the end of its window or when it is full (E6, E11). */
export class CountBook {
  readonly #options: CountBookOptions;
  readonly #open = new Map<string, Page>();
  #timer?: NodeJS.Timeout;

  constructor(options: CountBookOptions) {
    this.#options = options;
  }

  /** The lowest place that an open count holds. */
  get firstSeq(): number | undefined {
    let first: number | undefined;
    for (const { count } of this.#open.values()) if (first === undefined || count.firstSeq < first) first = count.firstSeq;
    return first;
  }

  /** Adds a request to its reason's count of this window. False: an earlier count is in the way and finds no room, nothing is added. */
  add(reason: string, windowMs: number, seq: number, at: number): boolean {
    const page = this.#open.get(reason);
    if (page && !page.count.isFull && at >= page.startsAt && at < page.endsAt) {
      page.count.add(seq, at);
      return true;
    }
    if (page ? !this.#close(page) : !this.#makeRoom()) return false;
    const startsAt = at - (at % windowMs);
    this.#open.set(reason, { count: new OpenCount(reason, seq, at), startsAt, endsAt: startsAt + windowMs });
    this.#watch();
    return true;
  }

  /** Closes all that there is room for. */
  closeAll(): void {
    for (const page of this.#open.values()) this.#close(page);
  }

  #makeRoom(): boolean {
    if (this.#open.size < limits.openCounts) return true;
    const [oldest] = this.#open.values();
    return this.#close(oldest!);
  }

  #close(page: Page): boolean {
    return this.#options.onClosed(page.count) && this.#open.delete(page.count.reason);
  }

  /** Windows begin at whole multiples of their length: the shortest one's next end is no later than any other's. */
  #watch(): void {
    const now = this.#options.now();
    this.#timer ??= setTimeout(() => this.#closeEnded(), limits.floodWindowMs - (now % limits.floodWindowMs)).unref();
  }

  #closeEnded(): void {
    this.#timer = undefined;
    const now = this.#options.now();
    for (const page of this.#open.values()) if (now >= page.endsAt || now < page.startsAt) this.#close(page);
    if (this.#open.size > 0) this.#watch();
  }
}
