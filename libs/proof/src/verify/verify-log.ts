import { topicByName, topics as allTopics, whyInvalid } from '@doorledger/contracts';
import type { EventLog, PartitionRange, StoredRecord } from '@doorledger/event-log';
import { ChainCheck } from './chain-check.js';
import { SessionCheck } from './session-check.js';
import type { Scratch } from './sqlite-scratch.js';
import { ToolSessionCheck } from './tool-session-check.js';
import { placeText, type Violation } from './violation.js';

export interface VerifyLogOptions {
  readonly log: EventLog;
  /** Holds what checkpoints say. */
  readonly scratch: Scratch;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface LogVerified {
  readonly records: number;
  /** Offsets that lie under a checkpoint that agreed. */
  readonly covered: number;
  /** The first statement that does not hold. */
  readonly violation?: Violation;
}

/** Offsets below which retention says that records are gone (X3), by `topic:partition`. */
type Cuts = Map<string, Set<number>>;

/** Reads every record of the truth topics once, the system topic first, and checks all that is stated of them (V2). */
export async function verifyLog({ log, scratch, onProgress, signal }: VerifyLogOptions): Promise<LogVerified> {
  const ranges = new Map<string, PartitionRange[]>();
  const truth = [...log.topics.keys()].filter((topic) => topicByName.get(topic)?.holds === 'truth').sort(systemFirst);
  for (const topic of truth) ranges.set(topic, await log.ends(topic));
  const total = [...ranges.values()].flat().reduce((sum, { start, end }) => sum + end - start, 0);
  const checks = checksOf(scratch);
  const cuts: Cuts = new Map();
  let [records, covered] = [0, 0];
  for (const [topic, ofTopic] of ranges) {
    const missing = missingStart(topic, ofTopic, cuts);
    if (missing) return { records, covered, violation: missing };
    const chains = ofTopic.map((range, partition) => new ChainCheck(scratch, topic, partition, range));
    const check = checks.get(topic);
    for await (const batch of log.read(
      topic,
      ofTopic.map(({ start }) => start),
    )) {
      signal?.throwIfAborted();
      const chain = chains[batch.partition]!;
      for (const record of batch.records) {
        if (record.offset >= ofTopic[batch.partition]!.end) break;
        const violation = chain.take(record) ?? check?.(record);
        if (violation) return { records, covered, violation };
        if (topic === allTopics.system.name) noteCut(record, cuts);
        records++;
      }
      onProgress?.(records, total);
    }
    for (const chain of chains) {
      const violation = chain.end();
      if (violation) return { records, covered, violation };
      covered += chain.covered;
    }
  }
  return { records, covered };
}

function checksOf(scratch: Scratch): ReadonlyMap<string, (record: StoredRecord) => Violation | undefined> {
  const session = new SessionCheck(scratch);
  const toolSession = new ToolSessionCheck(scratch);
  return new Map([
    [allTopics.session.name, (record) => session.take(record)],
    [allTopics.toolSession.name, (record) => toolSession.take(record)],
  ]);
}

/** What retention takes away is known before the partitions it means are read. */
const systemFirst = (a: string, b: string): number => Number(b === allTopics.system.name) - Number(a === allTopics.system.name);

function noteCut({ decoded: { type, body } }: StoredRecord, cuts: Cuts): void {
  if (type !== 'retention.applied' || !body || whyInvalid(body) !== undefined) return;
  const { topic, partition, before } = body.data as { readonly topic: string; readonly partition: number; readonly before: number };
  const place = `${topic}:${partition}`;
  cuts.set(place, (cuts.get(place) ?? new Set()).add(before));
}

/** A partition begins at its first offset, or exactly where retention said that it would. */
function missingStart(topic: string, ranges: readonly PartitionRange[], cuts: Cuts): Violation | undefined {
  const isCuttable = topic === allTopics.ingress.name || topic === allTopics.private.name;
  for (const [partition, { start }] of ranges.entries()) {
    if (start === 0 || (isCuttable && cuts.get(`${topic}:${partition}`)?.has(start))) continue;
    const place = { topic, partition, offset: 0, to: start };
    return {
      statement: 'chains',
      sentence: `The records ${placeText(place)} are gone, and no retention.applied fact says so.`,
      positions: [place],
    };
  }
  return undefined;
}
