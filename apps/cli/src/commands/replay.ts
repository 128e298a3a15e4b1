import { acquireWriterLock, type WriterLock } from '@doorledger/event-log';
import { LedgerGenerations } from '@doorledger/ledger';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { openLogForReading } from '../open-log.js';
import { replayBeside } from '../replay-beside.js';
import { askToSwitch, runningOn } from '../running-process.js';

/**
 * Prints both digests (X0). 1 when they differ: then the live ledger is no replay of the log, and the new generation is the
 * right one, so `--switch` takes it into use all the same.
 */
export async function replay({ config, output, say }: CommandContext, options: Options): Promise<ExitCode> {
  const log = await openLogForReading(config);
  const generations = new LedgerGenerations(config.data);
  let building: WriterLock | undefined;
  try {
    building = acquireWriterLock(config.data, 'replay');
    const { live, rebuilt, isEqual, positions } = await replayBeside(log, generations, say);
    const isSwitched = options.switch === true && (await switchTo(config.data, generations, rebuilt.generation));
    if (!isSwitched) generations.discard(rebuilt.generation);
    await output.json({ isEqual, live, rebuilt, isSwitched, positions });
    if (!isEqual)
      say(
        `The digests differ: the ledger that was live is not what the log says.${isSwitched ? '' : ' doorledger replay --switch mends it.'}`,
      );
    return isEqual ? 0 : 1;
  } finally {
    building?.release();
    await log.close();
  }
}

/**
 * Through the process that runs on the folder, or under its lock if none does (X4). A generation that is refused goes: a later replay
 * would go on from it, and prove nothing of the records before.
 */
async function switchTo(dir: string, generations: LedgerGenerations, generation: number): Promise<true> {
  try {
    const running = runningOn(dir);
    if (running && (await askToSwitch(running, generation)) === 'switched') return true;
    const lock = acquireWriterLock(dir, 'ledger');
    try {
      generations.switchTo(generation);
      return true;
    } finally {
      lock.release();
    }
  } catch (error) {
    generations.discard(generation);
    throw error;
  }
}
