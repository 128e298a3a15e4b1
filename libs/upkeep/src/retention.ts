import { topics, type EventOrigin } from '@doorledger/contracts';
import { appendUntilDurable, type EventLog } from '@doorledger/event-log';
import type { UpkeepReader } from '@doorledger/ledger';
import { sayDurably } from './durable-facts.js';
import type { PlannedCut } from './retention-plan.js';

export interface RetentionWork {
  readonly log: Pick<EventLog, 'append' | 'recordAt' | 'cut'>;
  readonly records: UpkeepReader;
  readonly origin: EventOrigin;
}

/**
 * Cuts what was planned (X3), durable when it resolves. Names that are still gone by are written again first, then the facts that say what goes,
 * and only then the records go: whatever is interrupted, a missing prefix is a named one. To do it once more does what is left.
 * @throws UpkeepError `ERR_LOG_UNAVAILABLE`; LogRefusedError
 */
export async function applyRetention(
  planned: readonly PlannedCut[],
  { cutoff, by }: { readonly cutoff: number; readonly by: string },
  work: RetentionWork,
): Promise<void> {
  const { log, records } = work;
  const cuts = planned.filter(({ start, before }) => before > start);
  const said = await records.retention();
  for (const cut of cuts) if (cut.topic === topics.private.name) await carryNames(cut, cutoff, work);
  const facts = cuts
    .filter(({ topic, partition, before }) => before > (said.get(`${topic}:${partition}`) ?? 0))
    .map(({ topic, partition, before }) => ({
      key: `retention/${topic}`,
      fact: { type: 'retention.applied' as const, data: { topic, partition, before, by } },
    }));
  if (facts.length > 0) await sayDurably(work, topics.system.name, facts);
  for (const topic of new Set(cuts.map((cut) => cut.topic)))
    await log.cut(
      topic,
      cuts.filter((cut) => cut.topic === topic),
    );
}

/** The sealed name as it lies there, at the end of its partition: the last one counts, and a copy of an event is the same event. */
async function carryNames({ topic, partition, before }: PlannedCut, cutoff: number, { log, records }: RetentionWork): Promise<void> {
  for (const { offset } of await records.namesInUse(partition, before, cutoff)) {
    const record = await log.recordAt({ topic, partition, offset });
    if (!record?.value) continue;
    const { key, value, headers } = record;
    await appendUntilDurable(log, topic, [{ key, value: Buffer.from(value), headers: { ...headers } }], () => false);
  }
}
