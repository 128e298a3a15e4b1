import type { DoorledgerConfig } from '@doorledger/config';
import { httpDoor } from '@doorledger/doors';
import { acquireWriterLock, type LogTailOptions } from '@doorledger/event-log';
import { EventLogStrategy, transports } from '@doorledger/event-log/transport';
import { ledgerReader } from '@doorledger/ledger';
import type { Logger } from '@doorledger/observability';
import { References } from '@doorledger/privacy';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { version } from '../../cli/src/version.js';
import { closeServer, httpApp, listen } from '../../host/src/http-app.js';
import { HealthModule } from '../../host/src/health.module.js';
import { Host } from '../../host/src/host.js';
import { HostModule } from '../../host/src/host.module.js';
import { openTruth, type Truth } from '../../host/src/open-truth.js';
import { openProjection, type Projection } from '../../projector/src/projection.js';
import { ProjectorModule } from '../../projector/src/projector.module.js';
import { OperatorModule } from './operator.module.js';
import { runningFile, type RunningFile } from './running-file.js';

export interface Standalone {
  /** Where it listens. */
  readonly url: string;
  /** What a person should know of it. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/**
 * Host and projector in one process on the embedded log: `doorledger up`.
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function start(config: DoorledgerConfig, logger: Logger): Promise<Standalone> {
  const stopping = new AbortController();
  const onWaiting = (missing: string) => logger.warn(missing);
  const truth = await openTruth(config, { onWaiting, signal: stopping.signal });
  const opened: { close(): Promise<void> }[] = [truth];
  try {
    const lock = acquireWriterLock(config.data, 'ledger');
    opened.unshift({ close: async () => lock.release() });
    const projection = await openLedger(config, truth, logger);
    opened.unshift(projection);
    const host = new Host(config, logger);
    const life = await host.open({ ...truth, version: version(), ledger: ledgerReader(projection.store, truth.log.topics) });
    projection.projector.onApplied((topic, partition, next) => life.projected(topic, partition, next));
    const health = HealthModule.with(() => [...host.problems(), ...projection.problems]);
    const running = runningFile(config.data);
    const operator = OperatorModule.with(projection, running.token);
    const app = await httpApp([HostModule.with(host), ProjectorModule.with(projection), health, operator], logger);
    opened.unshift(app);
    return await run({ app, host, projection, config, logger, opened, running });
  } catch (error) {
    for (const part of opened) await part.close().catch(() => {});
    throw error;
  }
}

async function openLedger({ data: dir }: DoorledgerConfig, { log, deploymentKey }: Truth, logger: Logger): Promise<Projection> {
  const references = new References(deploymentKey);
  return openProjection({
    log,
    dir,
    sessionRefOf: (sessionId) => references.sessionRef(undefined, sessionId),
    onFault: (fault) => logger.error({ err: fault.error }, 'A bug stopped the projection of a partition.'),
    onOutage: (err) => logger.warn({ err }, 'The ledger does not answer; its projector waits.'),
  });
}

interface Assembled {
  readonly app: NestFastifyApplication;
  readonly host: Host;
  readonly projection: Projection;
  readonly config: DoorledgerConfig;
  readonly logger: Logger;
  /** In the order they are closed. */
  readonly opened: readonly { close(): Promise<void> }[];
  readonly running: RunningFile;
}

async function run({ app, host, projection, config, logger, opened, running }: Assembled): Promise<Standalone> {
  const onProblem: LogTailOptions['onProblem'] = ({ error, stopped }) =>
    logger.warn({ err: error }, stopped ? 'Reading the log has stopped.' : 'Reading the log was begun again.');
  const { log } = projection;
  const hostTail = new EventLogStrategy({ transport: transports.hostTail, log, from: async () => host.life.from, onProblem });
  const projector = new EventLogStrategy({ transport: transports.projector, log, from: async () => projection.from, onProblem });
  for (const strategy of [projector, hostTail]) app.connectMicroservice({ strategy });
  httpDoor(app.getHttpAdapter().getInstance(), host.door);
  await app.startAllMicroservices();
  const url = await listen(app, config.host, config.port);
  await host.start(hostTail.tail!);
  running.announce(url);
  let closing: Promise<void> | undefined;
  const close = async () => {
    running.remove();
    await host.drain();
    await closeServer(app);
    await host.end();
    for (const part of opened) await part.close();
  };
  return { url, lines: linesOf(url, config), close: () => (closing ??= close()) };
}

const linesOf = (url: string, { door, data }: DoorledgerConfig): string[] => [
  `Door        ${url}${door.path}`,
  `Ledger API  ${url}/v1/sessions, /v1/log`,
  `Data        ${data}`,
  'Try         ' + `curl -s ${url}${door.path} -H 'content-type: application/json' -d '{"input":"hello","sessionId":"first"}'`,
  `Then        curl -s ${url}/v1/sessions/first/timeline`,
];
