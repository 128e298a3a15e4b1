import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError } from '@doorledger/contracts';
import { FOLD_VERSION, acquireWriterLock, checkIdentity, type EventLog } from '@doorledger/event-log';
import { transports } from '@doorledger/event-log/transport';
import type { Logger } from '@doorledger/observability';
import { References, loadDeploymentKey } from '@doorledger/privacy';
import { openGenerations } from '../../host/src/open-ledger.js';
import { openLog } from '../../host/src/open-log.js';
import { startService, type Opening, type Service } from '../../host/src/service.js';
import { Projection } from './projection.js';
import { ProjectorModule } from './projector.module.js';
import { hooksOf } from './projector-hooks.js';

const LOOK_EVERY_MS = 500;

/**
 * A projector alone, beside the hosts: `doorledger projector`. A log that is not there yet is waited for (K15).
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function start(config: DoorledgerConfig, logger: Logger): Promise<Service> {
  const { data: dir } = config;
  const projection = new Projection();
  const project = async (opening: Opening) => {
    const log = opening.keep(await logOf(config, opening));
    if (config.store === 'sqlite') {
      const lock = acquireWriterLock(dir, 'ledger');
      opening.keep({ close: async () => lock.release() });
    }
    const deploymentKey = loadDeploymentKey({ configured: config.key, dir, mayCreate: false });
    await checkIdentity(log, { keyCheck: deploymentKey.check, foldVersion: FOLD_VERSION });
    const references = new References(deploymentKey);
    await projection.open({
      log,
      generations: await openGenerations(config, opening),
      sessionRefOf: (sessionId) => references.sessionRef(undefined, sessionId),
      ...hooksOf(logger),
    });
    opening.keep(projection);
    await opening.read({ transport: transports.projector, log, from: async () => projection.from });
  };
  return startService({
    config,
    logger,
    port: config.projectorPort,
    modules: [ProjectorModule.with(projection)],
    problems: () => projection.problems,
    open: project,
    lines: (url) => [`Ledger API  ${url}/v1/sessions, /v1/log`],
  });
}

/** Between processes there is no signal for a file that comes to be. */
async function logOf(config: DoorledgerConfig, opening: Opening): Promise<EventLog> {
  for (;;) {
    try {
      return await openLog(config, { ...opening, role: 'reader' });
    } catch (error) {
      if (!(error instanceof DoorledgerError) || error.code !== 'ERR_FILE_MISSING') throw error;
      opening.onWaiting('There is no log yet: start "doorledger host" on the same data folder.');
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal: opening.signal });
  }
}
