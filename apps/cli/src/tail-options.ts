import { nearest } from '@doorledger/config';
import { DoorledgerError, factByType, isKnownType, isOfType, topics, type TopicDefinition } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { topicNamed } from './topic-name.js';

export type TailStart =
  | { readonly at: 'start' | 'end' }
  | { readonly at: 'position'; readonly topic: string; readonly partition: number; readonly offset: number };

/** What `tail` was asked for, judged. */
export interface TailQuery {
  readonly topics: readonly TopicDefinition[];
  readonly from: TailStart;
  readonly isFollowing: boolean;
  /** Whether a fact of this type is wanted; an unreadable record has none. */
  wants(type: string | undefined): boolean;
}

/** @throws DoorledgerError `ERR_NO_SUCH_TOPIC`, `ERR_NO_SUCH_TYPE` or `ERR_NO_SUCH_PLACE` */
export function tailQuery(options: Readonly<Record<string, unknown>>): TailQuery {
  const isFollowing = options.follow !== false;
  const named = (options.topic as string[] | undefined)?.map(topicNamed);
  const from = startOf((options.from as string | undefined) ?? (isFollowing ? 'end' : 'start'));
  const types = options.type as string[] | undefined;
  types?.forEach(mustExist);
  return {
    topics:
      named ??
      (from.at === 'position'
        ? [topicNamed(from.topic)]
        : Object.values(topics).filter((t) => t.visible === 'public' && t.holds === 'truth')),
    from,
    isFollowing,
    wants: (type) => types === undefined || types.some((wanted) => isOfType(wanted, type)),
  };
}

function startOf(place: string): TailStart {
  if (place === 'start' || place === 'end') return { at: place };
  const [, topic, partition, offset] = /^([^:]+):(\d{1,6}):(\d{1,15})$/.exec(place) ?? [];
  if (topic === undefined)
    throw new DoorledgerError('ERR_NO_SUCH_PLACE', '--from takes start, end or topic:partition:offset, such as session:3:120.');
  return { at: 'position', topic: topicNamed(topic).name, partition: Number(partition), offset: Number(offset) };
}

function mustExist(type: string): void {
  if (isKnownType(type)) return;
  const near = nearest(type, factByType.keys());
  throw new DoorledgerError(
    'ERR_NO_SUCH_TYPE',
    `No fact has that type${near ? `; did you mean ${near}?` : '; docs/contracts lists them.'}`,
  );
}

/** Where reading starts, per topic. With a position, every other partition starts at its end. @throws DoorledgerError `ERR_NO_SUCH_PLACE` */
export async function startsOf(log: EventLog, { topics: wanted, from }: TailQuery): Promise<LogPositions> {
  const starts: Record<string, number[]> = {};
  for (const { name } of wanted) {
    if (!log.topics.has(name)) continue;
    const ranges = await log.ends(name);
    if (from.at === 'position' && from.topic === name && from.partition >= ranges.length)
      throw new DoorledgerError('ERR_NO_SUCH_PLACE', `${name} has partitions 0 to ${ranges.length - 1} here: name one of them.`);
    starts[name] = ranges.map(({ start, end }, partition) => {
      if (from.at !== 'position') return from.at === 'start' ? start : end;
      return from.topic === name && from.partition === partition ? Math.min(Math.max(from.offset, start), end) : end;
    });
  }
  return starts;
}
