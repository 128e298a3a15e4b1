import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError } from '@doorledger/contracts';
import { acquireWriterLock } from '@doorledger/event-log';
import { transports } from '@doorledger/event-log/transport';
import { ledgerReader, upkeepReader } from '@doorledger/ledger';
import { Metrics, type Logger } from '@doorledger/observability';
import { ContentKeys, References } from '@doorledger/privacy';
import type { UpkeepParts } from '@doorledger/upkeep';
import { version } from '../../cli/src/version.js';
import { accessOf } from '../../host/src/access.js';
import { Host } from '../../host/src/host.js';
import { HostModule } from '../../host/src/host.module.js';
import { openAdmission } from '../../host/src/open-admission.js';
import { naming } from '../../host/src/naming.js';
import { openGenerations, reachingOf } from '../../host/src/open-ledger.js';
import { openTruth } from '../../host/src/open-truth.js';
import { startService, type Opening, type Service } from '../../host/src/service.js';
import { ledgerOperations } from '../../projector/src/api/ledger-operations.js';
import { ConsoleModule } from '../../projector/src/console/console.module.js';
import { consoleOperations } from '../../projector/src/console/console-operations.js';
import { openCheckpoints } from '../../projector/src/checkpoints.js';
import { ledgerMetrics } from '../../projector/src/ledger-metrics.js';
import { Projection, type ProjectionOptions } from '../../projector/src/projection.js';
import { feedHooksOf, hooksOf } from '../../projector/src/projector-hooks.js';
import { ProjectorModule } from '../../projector/src/projector.module.js';
import { openSignIn } from '../../projector/src/sign-in/open-sign-in.js';
import { WebhookSender } from '../../projector/src/webhook-sender.js';
import { OperatorModule } from './operator.module.js';
import { runningFile } from './running-file.js';

/**
 * Host and projector in one process: `doorledger up`.
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function start(config: DoorledgerConfig, logger: Logger): Promise<Service> {
  refuseShared(config);
  const access = accessOf(config, logger);
  const signIn = await openSignIn(config, access, logger);
  const metrics = new Metrics();
  const host = new Host(config, logger, access, metrics);
  const projection = new Projection();
  const hooks = { ...hooksOf(logger), ...ledgerMetrics(metrics, projection) };
  const sender = new WebhookSender(config, logger);
  const running = runningFile(config.data);
  let upkeep: UpkeepParts | undefined;
  const service = await startService({
    config,
    logger,
    metrics,
    port: config.port,
    access,
    modules: [
      HostModule.with(host),
      ProjectorModule.besideHost(projection, access, sender, { logger, metrics }),
      ConsoleModule.with(config.console, access, logger),
      OperatorModule.with(projection, running.token, () => upkeep),
    ],
    operations: { ...ledgerOfBoth, ...consoleOperations, ...host.operations },
    problems: () => [...host.problems(), ...projection.problems],
    onUndecided: (why) => host.count(why),
    routes: (app) => {
      const fastify = app.getHttpAdapter().getInstance();
      host.routes(fastify);
      signIn?.(fastify);
    },
    open: async (opening) => {
      upkeep = await openBoth(config, logger, host, projection, sender, hooks, opening);
    },
    lines: (url) => linesOf(url, config),
    drain: () => {
      running.remove();
      return host.drain();
    },
    end: () => host.end(),
  });
  running.announce(service.url);
  return service;
}

/** Of a turn its host tells more than the ledger would. */
const { readLedgerTurn: _, ...ledgerOfBoth } = ledgerOperations;

/** Its projector would read every partition, and take them from the projectors that share the ledger (K11). */
function refuseShared({ log, store }: DoorledgerConfig): void {
  if (log === 'kafka' && store === 'postgres')
    throw new DoorledgerError(
      'ERR_NOT_EMBEDDED',
      'doorledger up keeps a ledger of its own. On Kafka and PostgreSQL start "doorledger host" and "doorledger projector", as many of each as you need.',
    );
}

async function openBoth(
  config: DoorledgerConfig,
  logger: Logger,
  host: Host,
  projection: Projection,
  sender: WebhookSender,
  hooks: Partial<ProjectionOptions>,
  opening: Opening,
): Promise<UpkeepParts> {
  const { log, identity, deploymentKey, keyStore } = opening.keep(await openTruth(config, opening));
  if (config.store === 'sqlite') {
    const lock = acquireWriterLock(config.data, 'ledger');
    opening.keep({ close: async () => lock.release() });
  }
  const references = new References(deploymentKey);
  const generations = await openGenerations(config, opening);
  await projection.open({ log, generations, references, ...hooks, ...feedHooksOf(logger) });
  opening.keep(projection);
  await openCheckpoints(config, projection, logger, opening);
  await sender.open({ log, logId: identity.logId, projection }, opening);
  const admission = await openAdmission(config, opening, logger);
  const ledger = naming(ledgerReader(projection.store, log.topics), await reachingOf(config));
  const life = await host.open({
    admission,
    log,
    logId: identity.logId,
    deploymentKey,
    keyStore,
    version: version(),
    ledger,
  });
  projection.projector.onApplied((topic, partition, next) => life.projected(topic, partition, next));
  await opening.read({ transport: transports.projector, log, from: async () => projection.from });
  const { tail } = await opening.read({ transport: transports.hostTail, log, from: async () => life.from });
  await host.start(tail!);
  const origin = { source: `/doorledger/${config.deployment}/operator`, now: Date.now };
  const keys = new ContentKeys(deploymentKey, keyStore);
  return { log, keys, ledger, records: upkeepReader(projection.store), references, origin };
}

const linesOf = (url: string, { console, door, data, log }: DoorledgerConfig): string[] => [
  ...(console ? [`Console     ${url}/`] : []),
  `Door        ${url}${door.path}`,
  `Ledger API  ${url}/v1/sessions, /v1/log`,
  `Data        ${log === 'sqlite' ? data : 'the log on Kafka'}`,
  'Try         ' + `curl -s ${url}${door.path} -H 'content-type: application/json' -d '{"input":"hello","sessionId":"first"}'`,
  `Then        curl -s ${url}/v1/sessions/first/timeline`,
];
