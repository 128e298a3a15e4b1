import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError, topics } from '@doorledger/contracts';
import { FOLD_VERSION, acquireWriterLock, checkIdentity, type EventLog } from '@doorledger/event-log';
import type { Partitions } from '@doorledger/event-log/kafka';
import { transports } from '@doorledger/event-log/transport';
import { Metrics, type Logger } from '@doorledger/observability';
import { References, loadDeploymentKey } from '@doorledger/privacy';
import { accessOf } from '../../host/src/access.js';
import { openGenerations, whenThere } from '../../host/src/open-ledger.js';
import { openLog } from '../../host/src/open-log.js';
import { startService, type Opening, type Service } from '../../host/src/service.js';
import { openCheckpoints } from './checkpoints.js';
import { ledgerMetrics } from './ledger-metrics.js';
import { ledgerOperations } from './api/ledger-operations.js';
import { ConsoleModule } from './console/console.module.js';
import { consoleOperations } from './console/console-operations.js';
import { Projection } from './projection.js';
import { ProjectorModule } from './projector.module.js';
import { feedHooksOf, hooksOf } from './projector-hooks.js';
import { openSignIn } from './sign-in/open-sign-in.js';
import { Share, isShareable } from './share.js';
import { WebhookSender } from './webhook-sender.js';

const LOOK_EVERY_MS = 500;

/**
 * A projector alone, beside the hosts: `doorledger projector`. A log that is not there yet is waited for (K15).
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function start(config: DoorledgerConfig, logger: Logger): Promise<Service> {
  const { data: dir } = config;
  const access = accessOf(config, logger);
  const signIn = await openSignIn(config, access, logger);
  const projection = new Projection();
  const metrics = new Metrics();
  const hooks = { ...hooksOf(logger), ...ledgerMetrics(metrics, projection) };
  const share = new Share();
  const sender = new WebhookSender(config, logger);
  const project = async (opening: Opening) => {
    const log = opening.keep(await logOf(config, opening));
    if (config.store === 'sqlite') {
      const lock = acquireWriterLock(dir, 'ledger');
      opening.keep({ close: async () => lock.release() });
    }
    const deploymentKey = loadDeploymentKey({ configured: config.key, dir, mayCreate: false });
    access.signedIn?.open(deploymentKey.signIn);
    const identity = await whenThere(() => checkIdentity(log, { keyCheck: deploymentKey.check, foldVersion: FOLD_VERSION }), opening);
    const references = new References(deploymentKey);
    const generations = await openGenerations(config, opening);
    const { ledgerId } = generations;
    // Projectors with a ledger each read everything.
    const shared = ledgerId !== undefined && isShareable(log) ? { log, ledgerId } : undefined;
    await projection.open({
      log,
      isShared: shared !== undefined,
      generations,
      references,
      ...hooks,
      ...(config.log === 'kafka' && feedHooksOf(logger)),
    });
    opening.keep(projection);
    await openCheckpoints(config, projection, logger, opening);
    await sender.open({ log, logId: identity!.logId, projection }, opening);
    if (!shared) await opening.read({ transport: transports.projector, log, from: async () => projection.from });
    else {
      const { projectorGroup } = await import('@doorledger/event-log/kafka');
      const group = projectorGroup(config.deployment, shared.ledgerId);
      const onHeld = (held: Partitions) => sender.takeUp(held[topics.session.name] ?? []);
      await opening.keep(share).begin({ log: shared.log, projection, group, onHeld }, opening);
    }
  };
  return startService({
    config,
    logger,
    metrics,
    port: config.projectorPort,
    access,
    modules: [ProjectorModule.with(projection, access, sender, { logger, metrics }), ConsoleModule.with(config.console, access, logger)],
    operations: { ...ledgerOperations, ...consoleOperations },
    problems: () => [...projection.problems, ...share.problems],
    routes: (app) => signIn?.(app.getHttpAdapter().getInstance()),
    open: project,
    lines: (url) => [...(config.console ? [`Console     ${url}/`] : []), `Ledger API  ${url}/v1/sessions, /v1/log`],
  });
}

/** A log that a host has begun. Between processes there is no signal for a file that comes to be, nor for the first record. */
async function logOf(config: DoorledgerConfig, opening: Opening): Promise<EventLog> {
  for (;;) {
    const log = await openedLog(config, opening);
    if (log && (await whenThere(() => isBegun(log), opening))) return log;
    await log?.close();
    opening.onWaiting(
      `There is no log yet: start "doorledger host" ${config.log === 'sqlite' ? 'on the same data folder' : 'beside this projector'}.`,
    );
    await sleep(LOOK_EVERY_MS, undefined, { signal: opening.signal });
  }
}

async function openedLog(config: DoorledgerConfig, opening: Opening): Promise<EventLog | undefined> {
  try {
    return await openLog(config, { ...opening, role: 'reader' });
  } catch (error) {
    if (error instanceof DoorledgerError && error.code === 'ERR_FILE_MISSING') return undefined;
    throw error;
  }
}

/** The first record is the log's identity; the key that it was begun with is there before. */
async function isBegun(log: EventLog): Promise<boolean> {
  const [system] = await log.ends(topics.system.name);
  return system!.end > 0;
}
