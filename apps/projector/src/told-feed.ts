import { topics, whyInvalid, type FactEvent } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';

/** A crash may leave the later facts of one commit on the feed without the earlier ones: so far back they are compared one by one. */
const WINDOW = 10_000;

type Source = { readonly of: { readonly partition: number; readonly offset: number } };

interface Told {
  /** Highest offset of the session topic that the feed tells of. */
  last: number;
  /** What it tells of within the window, with the offset. */
  readonly recent: Map<string, number>;
}

/** What the feed of consents tells already, by the partitions of the session topic. Memory is bounded by the window. */
export class ToldFeed {
  readonly #byPartition = new Map<number, Told>();

  static async read(log: EventLog): Promise<ToldFeed> {
    const told = new ToldFeed();
    const ranges = await log.ends(topics.consent.name);
    const starts = ranges.map(({ start }) => start);
    for await (const { records } of log.read(topics.consent.name, starts))
      for (const { decoded } of records)
        if (decoded.body && whyInvalid(decoded.body) === undefined) told.#add(decoded.body as unknown as FactEvent);
    return told;
  }

  has(event: FactEvent): boolean {
    const { partition, offset } = (event.data as Source).of;
    const told = this.#byPartition.get(partition);
    return told !== undefined && (offset < told.last - WINDOW || told.recent.has(keyOf(event)));
  }

  #add(event: FactEvent): void {
    const { partition, offset } = (event.data as Source).of;
    const told = this.#byPartition.get(partition) ?? { last: -1, recent: new Map<string, number>() };
    this.#byPartition.set(partition, told);
    told.last = Math.max(told.last, offset);
    told.recent.set(keyOf(event), offset);
    if (told.recent.size > 2 * WINDOW) for (const [key, of] of told.recent) if (of < told.last - WINDOW) told.recent.delete(key);
  }
}

/** One record may settle several requests. */
const keyOf = ({ id, type, subject }: FactEvent): string => `${id} ${type} ${subject}`;
