import type { LoggedRecord } from './found-on-log.js';

/** L1: the time of each partition grows between neighbours of one leader epoch only, and never shrinks. */
export class FoldClock {
  readonly #clocks = new Map<number, { readonly epoch: number; readonly timestamp: number; readonly ms: number }>();

  /** Fold time at the next record of its partition, ms. */
  at({ partition, epoch, timestamp }: Pick<LoggedRecord, 'partition' | 'epoch' | 'timestamp'>): number {
    const clock = this.#clocks.get(partition) ?? { epoch: -1, timestamp: 0, ms: 0 };
    const ms = clock.ms + (clock.epoch === epoch ? Math.max(0, timestamp - clock.timestamp) : 0);
    this.#clocks.set(partition, { epoch, timestamp, ms });
    return ms;
  }
}
