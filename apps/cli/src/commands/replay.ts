import type { DoorledgerConfig } from '@doorledger/config';
import { acquireWriterLock, type EventLog } from '@doorledger/event-log';
import { ledgerReader, rebuild, type Generations } from '@doorledger/ledger';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { Parts } from '../parts.js';
import { replayBeside } from '../replay-beside.js';
import { askToSwitch, runningOn } from '../running-process.js';

/**
 * Prints both digests (X0). 1 when they differ: then the live ledger is no replay of the log, and the new generation is the
 * right one, so `--switch` takes it into use all the same.
 */
export async function replay(context: CommandContext, options: Options): Promise<ExitCode> {
  const { config, output, say } = context;
  const parts = new Parts(context);
  try {
    const log = await parts.log();
    const generations = await parts.generations();
    parts.keep(await generations.holdBuilding());
    const { live, rebuilt, isEqual, positions } = await replayBeside(log, generations, say);
    const isSwitched = options.switch === true && (await switchTo(config, log, generations, rebuilt.generation));
    if (!isSwitched) await generations.discard(rebuilt.generation);
    await output.json({ isEqual, live, rebuilt, isSwitched, positions });
    if (!isEqual)
      say(
        `The digests differ: the ledger that was live is not what the log says.${isSwitched ? '' : ' doorledger replay --switch mends it.'}`,
      );
    return isEqual ? 0 : 1;
  } finally {
    await parts.close();
  }
}

/**
 * In a database at once: its projectors and hosts notice. Of an embedded ledger through the process that runs on the folder, or under its
 * lock if none does (X4). A generation that is refused goes: a later replay
 * would go on from it, and prove nothing of the records before.
 */
async function switchTo(
  { store, data: dir }: DoorledgerConfig,
  log: EventLog,
  generations: Generations,
  generation: number,
): Promise<true> {
  try {
    if (store === 'postgres') {
      await catchUp(log, generations, generation);
      await generations.switchTo(generation);
      return true;
    }
    const running = runningOn(dir);
    if (running && (await askToSwitch(running, generation)) === 'switched') return true;
    const lock = acquireWriterLock(dir, 'ledger');
    try {
      await generations.switchTo(generation);
      return true;
    } finally {
      lock.release();
    }
  } catch (error) {
    await generations.discard(generation);
    throw error;
  }
}

/** Folds what came in since the generation was built, so that readers do not step back when it is live. */
async function catchUp(log: EventLog, generations: Generations, generation: number): Promise<void> {
  const { store: live } = await generations.openLiveReader();
  const next = await generations.openBuilt(generation);
  try {
    const { positions } = await ledgerReader(live, log.topics).positions();
    await rebuild({ log, store: next, upTo: positions });
  } finally {
    await next.close();
    await live.close();
  }
}
