import {
  FOLD_VERSION,
  LogRefusedError,
  acquireWriterLock,
  identityToMove,
  openSqliteLog,
  verifySqliteLog,
  type EventLog,
  type MovingLog,
} from '@doorledger/event-log';
import type { DoorledgerConfig } from '@doorledger/config';
import { partitionCounts } from '@doorledger/contracts';
import { loadDeploymentKey } from '@doorledger/privacy';
import { refuseLostLog } from '../../../host/src/refuse-lost-log.js';
import type { Parts } from '../parts.js';
import { progressOn } from '../progress.js';

const topics = partitionCounts('embedded');

/**
 * The log of the data folder, held with its ledger so that nobody else writes them.
 * @throws LogRefusedError `ERR_FILE_MISSING`, `ERR_DATA_IN_USE`, and those of a start
 */
export async function openSource({ data: dir }: DoorledgerConfig, parts: Parts): Promise<EventLog> {
  await refuseLostLog(dir);
  // A writer would make a log where there is none.
  await (await openSqliteLog({ dir, role: 'reader', topics })).close();
  const log = parts.keep(await openSqliteLog({ dir, role: 'writer', topics }));
  const lock = acquireWriterLock(dir, 'ledger');
  parts.keep({ close: async () => lock.release() });
  return log;
}

/** @throws LogRefusedError `ERR_LOG_OTHER_KEY`, `ERR_LOG_MOVED`, `ERR_MOVE_NOTHING` */
export async function sourceIdentity({ key, data }: DoorledgerConfig, log: EventLog, place: string): Promise<MovingLog> {
  const { check: keyCheck } = loadDeploymentKey({ configured: key, dir: data, mayCreate: false });
  return identityToMove(log, place, { keyCheck, foldVersion: FOLD_VERSION });
}

/** An empty partition on Kafka begins at 0. @throws LogRefusedError `ERR_MOVE_CUT` */
export async function refuseCutStart(log: EventLog): Promise<void> {
  for (const topic of log.topics.keys())
    if ((await log.ends(topic)).some(({ start }) => start > 0))
      throw new LogRefusedError(
        'ERR_MOVE_CUT',
        `The start of ${topic} was cut by retention, and a partition on Kafka begins at 0: records would get other offsets than facts name. Such a log stays where it is.`,
      );
}

/** Checks every record by its checksum (K6). @throws LogRefusedError `ERR_LOG_CORRUPT`, `ERR_FILE_TORN` */
export async function checkWhole(dir: string): Promise<void> {
  const progress = progressOn(process.stderr, 'check');
  try {
    await verifySqliteLog(dir, ({ checked, total }) => progress.update(checked, total));
  } finally {
    progress.stop();
  }
}
