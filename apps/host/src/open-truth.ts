import { randomUUID } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import { FOLD_VERSION, establishIdentity, type EventLog, type LogIdentity } from '@doorledger/event-log';
import { loadDeploymentKey, openSqliteKeyStore, refuseOtherKeys, type DeploymentKey, type KeyStore } from '@doorledger/privacy';
import { whenThere } from './open-ledger.js';
import { naming } from './naming.js';
import { openLog, type LogOpening } from './open-log.js';
import { refuseLostLog } from './refuse-lost-log.js';

type Waiting = Pick<LogOpening, 'onWaiting' | 'signal' | 'onRetry'>;

/** What cannot be rebuilt: the log with its identity, the deployment key, and the store of content keys. */
export interface Truth {
  readonly log: EventLog;
  readonly identity: LogIdentity;
  readonly deploymentKey: DeploymentKey;
  readonly keyStore: KeyStore;
  close(): Promise<void>;
}

/**
 * Opens the log to write it: the embedded one as its one writer (K14), a cluster's as one host of many.
 * @throws LogRefusedError, DeploymentKeyError: the start is refused with one sentence
 */
export async function openTruth(config: DoorledgerConfig, waiting: Waiting): Promise<Truth> {
  const { data: dir } = config;
  if (config.log === 'sqlite' && config.store === 'sqlite') await refuseLostLog(dir);
  const log = await openLog(config, { ...waiting, role: 'writer' });
  let keyStore: KeyStore | undefined;
  try {
    const [system] = await whenThere(() => log.ends(topics.system.name), waiting);
    const isNew = system!.end === 0;
    const deploymentKey = loadDeploymentKey({ configured: config.key, wrapping: config.wrappingKeys, dir, mayCreate: isNew });
    // Before the genesis record: a log that has one and no keys is a log that has lost them.
    const keys = (keyStore = await openKeys(config, isNew, waiting));
    const origin = { source: `/doorledger/${config.deployment}/${config.hostId}`, now: Date.now };
    const expected = { keyCheck: deploymentKey.check, foldVersion: FOLD_VERSION, newLogId: randomUUID };
    // A leader that is slow now is waited for like a cluster that is not there (K15).
    const identity = await whenThere(() => establishIdentity(log, expected, origin), waiting);
    await whenThere(() => refuseOtherKeys(log, keys, deploymentKey), waiting);
    return {
      log,
      identity,
      deploymentKey,
      keyStore: keys,
      close: async () => {
        await keys.close();
        await log.close();
      },
    };
  } catch (error) {
    await keyStore?.close();
    await log.close();
    throw error;
  }
}

/** Beside the ledger: in the data folder, or in the database that all hosts share. */
export async function openKeys(
  { store, data, databaseUrl: url = '' }: DoorledgerConfig,
  mayCreate: boolean,
  waiting: Waiting,
): Promise<KeyStore> {
  if (store === 'sqlite') return openSqliteKeyStore(data, { mayCreate });
  const { openPostgresPool, reached } = await import('@doorledger/ledger/postgres');
  const { openPostgresKeyStore } = await import('@doorledger/privacy/postgres');
  return whenThere(async () => {
    const pool = openPostgresPool({ url, role: 'keys' });
    try {
      return naming(await reached(() => openPostgresKeyStore(pool, { mayCreate })), reached);
    } catch (error) {
      await pool.end();
      throw error;
    }
  }, waiting);
}
