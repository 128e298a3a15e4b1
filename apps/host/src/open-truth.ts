import { randomUUID } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import { FOLD_VERSION, establishIdentity, type EventLog, type LogIdentity } from '@doorledger/event-log';
import { openLog, type LogOpening } from './open-log.js';
import { loadDeploymentKey, openSqliteKeyStore, type DeploymentKey, type KeyStore } from '@doorledger/privacy';

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
export async function openTruth(config: DoorledgerConfig, waiting: Pick<LogOpening, 'onWaiting' | 'signal'>): Promise<Truth> {
  const { data: dir } = config;
  const log = await openLog(config, { ...waiting, role: 'writer' });
  try {
    const [system] = await log.ends(topics.system.name);
    const isNew = system!.end === 0;
    const deploymentKey = loadDeploymentKey({ configured: config.key, dir, mayCreate: isNew });
    const origin = { source: `/doorledger/${config.deployment}/${config.hostId}`, now: Date.now };
    const expected = { keyCheck: deploymentKey.check, foldVersion: FOLD_VERSION, newLogId: randomUUID };
    const identity = await establishIdentity(log, expected, origin);
    const keyStore = openSqliteKeyStore(dir, { mayCreate: isNew });
    return {
      log,
      identity,
      deploymentKey,
      keyStore,
      close: async () => {
        await keyStore.close();
        await log.close();
      },
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}
