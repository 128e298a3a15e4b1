import { startOfPartition } from '@doorledger/event-log';
import { foldGroup, type FoldedGroup } from '../projection/group.js';
import { freshSession } from '../projection/session.js';
import type { AnyRow } from '../row-changes.js';
import type { TableName } from '../schema/index.js';
import type { SampleLog } from './sample-log.js';

/** Everything a log says, folded from its start as one commit, without a store. */
export const foldLog = (log: SampleLog, retention: ReadonlyMap<string, number> = new Map()): Promise<FoldedGroup> =>
  foldGroup(log.batches(), {
    places: { at: () => startOfPartition },
    retention,
    checkOut: async (batches) =>
      new Map(batches.flatMap(({ partition, records }) => records.map(({ key }) => [key, freshSession(key, partition)]))),
  });

/** The rows of one table. */
export async function rowsOf(log: SampleLog, table: TableName): Promise<readonly AnyRow[]> {
  const { changes } = await foldLog(log);
  return [...changes.rows()].flatMap((of) => (of.table === table ? of.rows : []));
}
