import type { DoorledgerConfig } from '@doorledger/config';
import { httpDoor } from '@doorledger/doors';
import { EventLogStrategy, transports } from '@doorledger/event-log/transport';
import type { Logger } from '@doorledger/observability';
import { version } from '../../cli/src/version.js';
import { closeServer, httpApp, listen } from './http-app.js';
import { HealthModule } from './health.module.js';
import { Host } from './host.js';
import { HostModule } from './host.module.js';
import { LedgerBeside } from './ledger-beside.js';
import { openTruth, type Truth } from './open-truth.js';

export interface StartedHost {
  readonly url: string;
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/**
 * A host alone: `doorledger host`. Its doors answer 503 until the log and the ledger are there (K15).
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function start(config: DoorledgerConfig, logger: Logger): Promise<StartedHost> {
  const stopping = new AbortController();
  const truth = await openTruth(config, { onWaiting: (missing) => logger.warn(missing), signal: stopping.signal });
  const host = new Host(config, logger);
  const app = await httpApp([HostModule.with(host), HealthModule.with(() => host.problems())], logger);
  let ledger: LedgerBeside | undefined;
  const close = async () => {
    stopping.abort();
    await host.drain();
    await closeServer(app);
    await app.close();
    await host.end();
    await ledger?.close();
    await truth.close();
  };
  try {
    httpDoor(app.getHttpAdapter().getInstance(), host.door);
    const url = await listen(app, config.host, config.port);
    const onWait = () => logger.warn('There is no ledger yet: start "doorledger projector" on the same data folder.');
    const begin = async () => {
      ledger = await LedgerBeside.open(config.data, truth.log.topics, onWait, stopping.signal);
      await serve(host, ledger, truth);
    };
    begin().catch((err: unknown) => stopping.signal.aborted || logger.error({ err }, 'The host cannot serve.'));
    return { url, lines: [`Door        ${url}${config.door.path}`, `Data        ${config.data}`], close };
  } catch (error) {
    await close();
    throw error;
  }

  async function serve(opened: Host, beside: LedgerBeside, { log, deploymentKey, keyStore }: Truth): Promise<void> {
    const life = await opened.open({ log, deploymentKey, keyStore, version: version(), ledger: beside.reader });
    beside.onPositions(({ positions }) => {
      for (const [topic, offsets] of Object.entries(positions))
        for (const [partition, next] of offsets.entries()) life.projected(topic, partition, next);
    });
    const strategy = new EventLogStrategy({
      transport: transports.hostTail,
      log,
      from: async () => life.from,
      onProblem: ({ error, stopped }) =>
        logger.warn({ err: error }, stopped ? 'Reading the log has stopped.' : 'Reading the log was begun again.'),
    });
    app.connectMicroservice({ strategy });
    await app.startAllMicroservices();
    await opened.start(strategy.tail!);
  }
}
