import { acquireWriterLock, verifySqliteLog, type WriterLock } from '@doorledger/event-log';
import { LedgerGenerations, startsOf } from '@doorledger/ledger';
import type { CommandContext, ExitCode } from '../command-context.js';
import { openLogForReading, requireEmbedded } from '../open-log.js';
import { progressOn } from '../progress.js';
import { replayBeside } from '../replay-beside.js';

/**
 * Checks in this order: each record of the log and the file's structure (K6), that the ledger's places lie on the log (K8), and that
 * the ledger equals a replay from the log's start (V2). The first violated statement ends it with its sentence and 1.
 */
export async function verify({ config, output, say }: CommandContext): Promise<ExitCode> {
  requireEmbedded(config);
  const records = await checkedRecords(config.data);
  const log = await openLogForReading(config);
  const generations = new LedgerGenerations(config.data);
  let building: WriterLock | undefined;
  try {
    building = acquireWriterLock(config.data, 'replay');
    // What an interrupted replay left would be gone on with: this one starts at the log's start.
    generations.discard((generations.live ?? 0) + 1);
    const { live, rebuilt, isEqual, positions } = await replayBeside(log, generations, say);
    generations.discard(rebuilt.generation);
    await startsOf(log, positions);
    await output.json({ isSound: isEqual, records, live, rebuilt, positions });
    if (!isEqual) say('The ledger is not what the log says: doorledger replay --switch mends it.');
    return isEqual ? 0 : 1;
  } finally {
    building?.release();
    await log.close();
  }
}

async function checkedRecords(dir: string): Promise<number> {
  const progress = progressOn(process.stderr, 'log');
  try {
    return await verifySqliteLog(dir, ({ checked, total }) => progress.update(checked, total));
  } finally {
    progress.stop();
  }
}
