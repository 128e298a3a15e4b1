import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError, partitionCounts } from '@doorledger/contracts';
import { acquireWriterLock, openSqliteLog, type EventLog } from '@doorledger/event-log';
import { EventLogStrategy, transports } from '@doorledger/event-log/transport';
import type { Logger } from '@doorledger/observability';
import { References, loadDeploymentKey } from '@doorledger/privacy';
import { HealthModule } from '../../host/src/health.module.js';
import { closeServer, httpApp, listen } from '../../host/src/http-app.js';
import { openProjection } from './projection.js';
import { ProjectorModule } from './projector.module.js';

export interface StartedProjector {
  readonly url: string;
  readonly lines: readonly string[];
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 500;

/**
 * A projector alone, beside a host on the same data folder: `doorledger projector`. A log that is not there yet is waited for.
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function start(config: DoorledgerConfig, logger: Logger): Promise<StartedProjector> {
  const { data: dir } = config;
  const log = await logOf(dir, logger);
  const opened: { close(): Promise<void> }[] = [log];
  try {
    const lock = acquireWriterLock(dir, 'ledger');
    opened.unshift({ close: async () => lock.release() });
    const references = new References(loadDeploymentKey({ configured: config.key, dir, mayCreate: false }));
    const projection = await openProjection({
      log,
      dir,
      sessionRefOf: (sessionId) => references.sessionRef(undefined, sessionId),
      onFault: (fault) => logger.error({ err: fault.error }, 'A bug stopped the projection of a partition.'),
      onOutage: (err) => logger.warn({ err }, 'The ledger does not answer; its projector waits.'),
    });
    opened.unshift(projection);
    const app = await httpApp([ProjectorModule.with(projection), HealthModule.with(() => projection.problems)], logger);
    opened.unshift(app);
    const strategy = new EventLogStrategy({
      transport: transports.projector,
      log,
      from: async () => projection.from,
      onProblem: ({ error, stopped }) =>
        logger.warn({ err: error }, stopped ? 'Reading the log has stopped.' : 'Reading the log was begun again.'),
    });
    app.connectMicroservice({ strategy });
    await app.startAllMicroservices();
    const url = await listen(app, config.host, config.projectorPort);
    const close = async () => {
      await closeServer(app);
      await closeAll(opened);
    };
    return { url, lines: [`Ledger API  ${url}/v1/sessions, /v1/log`, `Data        ${dir}`], close };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function closeAll(opened: readonly { close(): Promise<void> }[]): Promise<void> {
  for (const part of opened) await part.close();
}

/** K15: between processes there is no signal for a file that comes to be. */
async function logOf(dir: string, logger: Logger): Promise<EventLog> {
  for (let looks = 0; ; looks++) {
    try {
      return await openSqliteLog({ dir, role: 'reader', topics: partitionCounts('embedded') });
    } catch (error) {
      if (!(error instanceof DoorledgerError) || error.code !== 'ERR_FILE_MISSING') throw error;
      if (looks === 0) logger.warn('There is no log yet: start "doorledger host" on the same data folder.');
    }
    await sleep(LOOK_EVERY_MS);
  }
}
