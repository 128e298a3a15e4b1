import type { LogPositions, PartitionTime, Position } from '@doorledger/event-log';
import { positionsOf } from './queries/places.js';

interface Wait {
  readonly position: Position;
  readonly settle: (reached: boolean) => void;
}

/** How far each partition is applied to the ledger, in memory, and who waits for it (P3). */
export class Places {
  readonly #times: Record<string, PartitionTime[]>;
  readonly #waits = new Map<string, Set<Wait>>();

  constructor(times: Readonly<Record<string, readonly PartitionTime[]>>) {
    this.#times = Object.fromEntries(Object.entries(times).map(([topic, ofTopic]) => [topic, [...ofTopic]]));
  }

  /** The next offset per partition. */
  get applied(): LogPositions {
    return positionsOf(this.#times);
  }

  at(topic: string, partition: number): PartitionTime | undefined {
    return this.#times[topic]?.[partition];
  }

  moved(topic: string, partition: number, time: PartitionTime): void {
    this.#times[topic]![partition] = time;
    for (const wait of this.#waits.get(`${topic}:${partition}`) ?? []) if (wait.position.offset < time.next) wait.settle(true);
  }

  /** True once the record at `position` is in the ledger; false after `timeoutMs`, or where there is no such partition. */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    const { topic, partition, offset } = position;
    const now = this.at(topic, partition);
    if (!now) return false;
    if (now.next > offset) return true;
    const name = `${topic}:${partition}`;
    const waits = this.#waits.get(name) ?? new Set();
    this.#waits.set(name, waits);
    return new Promise((resolve) => {
      const wait = { position, settle };
      const timer = setTimeout(() => settle(false), timeoutMs);
      waits.add(wait);
      function settle(reached: boolean): void {
        clearTimeout(timer);
        waits.delete(wait);
        resolve(reached);
      }
    });
  }
}
