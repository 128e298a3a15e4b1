import { randomUUID } from 'node:crypto';
import { FOLD_VERSION, LogRefusedError, adopt as write, proposeAdoption, type Adoption, type EventLog } from '@doorledger/event-log';
import { loadDeploymentKey } from '@doorledger/privacy';
import { adoptionLines } from '../adoption-lines.js';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { liveHosts } from '../live-hosts.js';
import { lostRecords, type LostRecords } from '../lost-records.js';
import { confirm } from '../confirm.js';
import { Parts } from '../parts.js';

/**
 * Says what of the log is otherwise than it says itself, and makes that the log after an operator's word (K8); `--fold` makes the newest
 * fold its own (L8). Nobody may write meanwhile: the embedded log's lock is taken, and on Kafka every host has to have ended, or, for the
 * fold alone, to know it.
 * @throws LogRefusedError `ERR_DATA_IN_USE`, `ERR_HOSTS_ALIVE`, `ERR_LOG_OTHER_KEY`, `ERR_LOG_NEWER_FOLD`; DoorledgerError `ERR_NOT_CONFIRMED`
 */
export async function adopt(context: CommandContext, options: Options): Promise<ExitCode> {
  const { config, output, say } = context;
  const parts = new Parts(context);
  const { check: keyCheck } = loadDeploymentKey({ configured: config.key, dir: config.data, mayCreate: false });
  try {
    // As a reader first: the ledger says whether this is its log, and a writer leaves its mark in the file.
    const seen = await parts.log();
    const lost = await lostRecords(seen, await parts.generations());
    const proposed = await proposeAdoption(seen, {
      keyCheck,
      foldVersion: FOLD_VERSION,
      newLogId: randomUUID,
      mayChangeKey: options.otherKey === true,
      raisesFold: options.fold === true,
      hasLostRecords: lost.length > 0,
    });
    for (const line of adoptionLines(proposed, lost)) say(line);
    if (proposed.isNeeded) {
      await confirm(options, 'adopt');
      const log = await parts.log('writer');
      if (config.log === 'kafka') await refuseBesideHosts(log, proposed);
      await write(log, proposed, { source: `/doorledger/${config.deployment}/operator`, now: Date.now });
    }
    await output.json(outcomeOf(proposed, lost));
    return 0;
  } finally {
    await parts.close();
  }
}

/** @throws LogRefusedError `ERR_HOSTS_ALIVE` */
async function refuseBesideHosts(log: EventLog, { from, to }: Adoption): Promise<void> {
  const alive = await liveHosts(log, Date.now());
  const isSameLog = from?.logId === to.logId;
  const [old] = alive.filter(({ foldVersion }) => foldVersion < to.foldVersion);
  if (isSameLog && old)
    throw new LogRefusedError(
      'ERR_HOSTS_ALIVE',
      `Host ${old.hostId} folds by version ${old.foldVersion}: start every host with this release first, then raise the fold.`,
    );
  if (!isSameLog && alive.length > 0)
    throw new LogRefusedError(
      'ERR_HOSTS_ALIVE',
      `Hosts write this log (${alive.map(({ hostId }) => hostId).join(', ')}): stop them all, or wait for 30 s after they were killed, then adopt it.`,
    );
}

const outcomeOf = ({ from, to, changes, isNeeded }: Adoption, lost: readonly LostRecords[]): object => ({
  isAdopted: isNeeded,
  logId: { was: from?.logId ?? null, is: to.logId },
  foldVersion: { was: from?.foldVersion ?? null, is: to.foldVersion },
  changes,
  lost,
});
