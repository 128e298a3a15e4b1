import { setTimeout as sleep } from 'node:timers/promises';
import type { LogPositions, Position } from '@doorledger/event-log';
import type { Place } from './projection/place.js';
import { positionsOf } from './queries/places.js';

/** While somebody waits, the store is asked this often how far others have come. */
const ASK_EVERY_MS = 50;

type Times = Readonly<Record<string, readonly Place[]>>;

interface Wait {
  readonly position: Position;
  readonly settle: (reached: boolean) => void;
}

export interface PlacesOptions {
  readonly times: Times;
  /** Asks the store, where other projectors move places too and tell nobody. */
  readonly stored?: () => Promise<LogPositions>;
}

/** How far each partition is applied to the ledger, in memory, and who waits for it (P3). */
export class Places {
  readonly #stored: PlacesOptions['stored'];
  readonly #waits = new Set<Wait>();
  #times: Record<string, Place[]> = {};
  #isAsking = false;

  constructor({ times, stored }: PlacesOptions) {
    this.#stored = stored;
    this.begin(times);
  }

  /** What is known from here on. */
  begin(times: Times): void {
    this.#times = Object.fromEntries(Object.entries(times).map(([topic, ofTopic]) => [topic, [...ofTopic]]));
    this.#settle(this.applied);
  }

  /** The next offset per partition; of partitions that other projectors move, as of the last `begin`. */
  get applied(): LogPositions {
    return positionsOf(this.#times);
  }

  at(topic: string, partition: number): Place | undefined {
    return this.#times[topic]?.[partition];
  }

  moved(topic: string, partition: number, time: Place): void {
    this.#times[topic]![partition] = time;
    for (const { position, settle } of this.#waits)
      if (position.partition === partition && position.topic === topic && position.offset < time.next) settle(true);
  }

  /** True once the record at `position` is in the ledger; false after `timeoutMs`, or where there is no such partition. */
  async reach(position: Position, timeoutMs: number): Promise<boolean> {
    const now = this.at(position.topic, position.partition);
    if (!now) return false;
    if (now.next > position.offset) return true;
    return new Promise((resolve) => {
      const wait = { position, settle: (reached: boolean) => settle(reached) };
      const timer = setTimeout(() => settle(false), timeoutMs);
      const settle = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waits.delete(wait);
        resolve(reached);
      };
      this.#waits.add(wait);
      if (this.#stored && !this.#isAsking) void this.#askWhileWaitedFor(this.#stored);
    });
  }

  /** One question for all who wait. A store that does not answer leaves them to their time. */
  async #askWhileWaitedFor(stored: () => Promise<LogPositions>): Promise<void> {
    this.#isAsking = true;
    while (this.#waits.size > 0) {
      const positions = await stored().catch(() => undefined);
      if (positions) this.#settle(positions);
      if (this.#waits.size > 0) await sleep(ASK_EVERY_MS);
    }
    this.#isAsking = false;
  }

  #settle(positions: LogPositions): void {
    for (const { position, settle } of this.#waits)
      if ((positions[position.topic]?.[position.partition] ?? 0) > position.offset) settle(true);
  }
}
