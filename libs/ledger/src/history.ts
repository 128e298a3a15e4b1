import { topics as allTopics } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { LedgerError } from './errors.js';
import { projectedTopics } from './projection/index.js';
import { readEvent } from './projection/readable.js';

/**
 * Where a ledger with these places may go on reading the topics it is made from: at each place, or at the log's start where retention moved it (X3).
 * @throws LedgerError `ERR_LEDGER_AHEAD` where the log ends before a place (K8), `ERR_HISTORY_LOST` where it starts after one.
 */
export async function startsOf(log: EventLog, places: LogPositions): Promise<LogPositions> {
  const starts: Record<string, number[]> = {};
  let cuts: Map<string, number> | undefined;
  for (const topic of projectedTopics) {
    const offsets = places[topic];
    if (!offsets) continue;
    const ranges = await log.ends(topic);
    const ofTopic: number[] = (starts[topic] = []);
    for (const [partition, next] of offsets.entries()) {
      const { start, end } = ranges[partition]!;
      if (next > end) throw ahead(topic, partition, next, end);
      if (next < start && ((cuts ??= await cutsOf(log)).get(`${topic}:${partition}`) ?? 0) < start)
        throw lost(topic, partition, next, start);
      ofTopic.push(Math.max(next, start));
    }
  }
  return starts;
}

/** By `topic:partition`, the highest offset below which a `retention.applied` fact took records away. */
async function cutsOf(log: EventLog): Promise<Map<string, number>> {
  const cuts = new Map<string, number>();
  const { name } = allTopics.system;
  for await (const { records } of log.read(name, new Array<number>(log.topics.get(name)!).fill(0)))
    for (const record of records) {
      const reading = readEvent(record);
      if (!reading || 'why' in reading || reading.event.type !== 'retention.applied') continue;
      const { topic, partition, before } = reading.event.data;
      const place = `${topic}:${partition}`;
      cuts.set(place, Math.max(cuts.get(place) ?? 0, before));
    }
  return cuts;
}

const ahead = (topic: string, partition: number, next: number, end: number) =>
  new LedgerError(
    'ERR_LEDGER_AHEAD',
    `The ledger has read ${topic} partition ${partition} up to offset ${next}, but the log ends at ${end}: it is an older or another log. ` +
      'Put back the log that belongs to this ledger, or fold this log anew with doorledger replay --switch.',
  );

const lost = (topic: string, partition: number, next: number, start: number) =>
  new LedgerError(
    'ERR_HISTORY_LOST',
    `Offsets ${next} to ${start - 1} of ${topic} partition ${partition} are gone from the log, and no retention.applied fact says so. ` +
      'Put back a backup of the log that has them.',
  );
