import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DoorledgerError, partitionCounts } from '@doorledger/contracts';
import { LogRefusedError, openSqliteLog } from '@doorledger/event-log';
import { LedgerGenerations, ledgerReader, startsOf, type LedgerStore } from '@doorledger/ledger';

const counts = partitionCounts('embedded');

/**
 * Refuses a data folder whose ledger has read more than its log holds (K8, K14), before a writer touches the log: a writer leaves its mark
 * in the file at once, and the right write-ahead file, put back after that, would not fit any more.
 * @throws LogRefusedError, LedgerError `ERR_HISTORY_LOST`, `ERR_LEDGER_AHEAD`
 */
export async function refuseLostLog(dir: string): Promise<void> {
  const ledger = openLedger(dir);
  if (!ledger) return;
  try {
    const { positions } = await ledgerReader(ledger, counts).positions();
    const hasRead = Object.values(positions).some((offsets) => offsets.some((next) => next > 0));
    if (!hasRead) return;
    if (!existsSync(join(dir, 'log.db')))
      throw new LogRefusedError(
        'ERR_HISTORY_LOST',
        'There is no log.db in the data folder, and its ledger was made from one. Put log.db back; to begin anew, name another data folder.',
      );
    const log = await openSqliteLog({ dir, role: 'reader', topics: counts });
    await startsOf(log, positions).finally(() => log.close());
  } finally {
    await ledger.close();
  }
}

/** The live ledger; undefined where there is none, or one that a start makes anew. */
function openLedger(dir: string): LedgerStore | undefined {
  const generations = new LedgerGenerations(dir);
  if (generations.live === undefined) return undefined;
  try {
    return generations.openLiveReader().store;
  } catch (error) {
    if (error instanceof DoorledgerError && (error.code === 'ERR_FILE_MISSING' || error.code === 'ERR_FILE_OLDER')) return undefined;
    throw error;
  }
}
