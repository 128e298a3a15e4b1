import { topics } from '@doorledger/contracts';
import { advance, startOfPartition, type PartitionTime, type RecordBatch } from '@doorledger/event-log';
import { chainStart, extendChain, type Chain } from '@doorledger/proof/chain';
import type { RowChanges } from '../row-changes.js';
import { isCuttable } from '../schema/cuts.js';
import { projectDecision } from './decision.js';
import { projectGrant } from './grant.js';
import { projectIngress } from './ingress.js';
import type { Place } from './place.js';
import { projectPrivate } from './private.js';
import { quarantine, type Projection } from './projection.js';
import { projectSession, type FoldedSession } from './session.js';
import { projectSystem } from './system.js';
import { projectToolSession } from './tool-session.js';

/** Each of the two knows its keys. */
const projectSpend: Projection = (...of) => projectGrant(...of) ?? projectDecision(...of);

const projections: ReadonlyMap<string, Projection> = new Map([
  [topics.toolSession.name, projectToolSession],
  [topics.ingress.name, projectIngress],
  [topics.system.name, projectSystem],
  [topics.private.name, projectPrivate],
  [topics.spend.name, projectSpend],
]);

/** Topics that a ledger is made from. */
export const projectedTopics: readonly string[] = [topics.session.name, ...projections.keys()];

/** A record whose projection threw: a bug. Its partition stops there. */
export class ProjectionBug extends Error {
  constructor(
    readonly offset: number,
    options: { cause: unknown },
  ) {
    super('A projection threw.', options);
  }
}

export interface BatchContext {
  /** The partition's place before the batch. */
  readonly place: Place;
  /** Rows made from offsets below this one are gone by rule (X3). */
  readonly retainedFrom: number;
  /** The sessions of the batch's keys, changed as it is folded. */
  readonly sessions: ReadonlyMap<string, FoldedSession>;
}

/**
 * Folds a batch into row changes and returns the partition's place after it.
 * @throws ProjectionBug
 */
export function projectBatch(
  { topic, partition, records }: RecordBatch,
  { place, retainedFrom, sessions }: BatchContext,
  changes: RowChanges,
): Place {
  const projection = projections.get(topic);
  const isTimed = !isCuttable(topic);
  let time: PartitionTime = place;
  let chain = chainBefore(topic, partition, place, records[0]!.offset);
  for (const record of records) {
    chain = extendChain(chain, record);
    time = isTimed ? advance(time, record) : placeAfter(record.offset);
    try {
      if (topic === topics.session.name) projectSession(record, time, sessions.get(record.key)!, changes);
      else if (projection && record.offset >= retainedFrom) {
        const why = projection(record, changes, time);
        if (why !== undefined) quarantine(record, why, changes);
      }
    } catch (cause) {
      throw new ProjectionBug(record.offset, { cause });
    }
  }
  return { ...time, chain };
}

/** Where retention took away what was not yet folded, a chain begins at what is left (X3). */
function chainBefore(topic: string, partition: number, { next, chain }: Place, offset: number): Chain {
  return chain && (offset === next || !isCuttable(topic)) ? chain : chainStart(topic, partition, offset);
}

/** A topic that may be cut has no fold time: it would tell of the records that are gone (X3). */
export const placeAfter = (offset: number): PartitionTime => ({ ...startOfPartition, next: offset + 1 });
