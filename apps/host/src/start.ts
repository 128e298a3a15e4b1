import type { DoorledgerConfig } from '@doorledger/config';
import { transports } from '@doorledger/event-log/transport';
import { Metrics, type Logger } from '@doorledger/observability';
import { version } from '../../cli/src/version.js';
import { accessOf } from './access.js';
import { Host } from './host.js';
import { HostModule } from './host.module.js';
import { LedgerBeside } from './ledger-beside.js';
import { openAdmission } from './open-admission.js';
import { naming } from './naming.js';
import { openGenerations, reachingOf } from './open-ledger.js';
import { openTruth } from './open-truth.js';
import { startService, type Opening, type Service } from './service.js';

/**
 * A host alone: `doorledger host`. Its doors answer 503 until the log and the ledger are there (K15).
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function start(config: DoorledgerConfig, logger: Logger): Promise<Service> {
  const access = accessOf(config, logger);
  const metrics = new Metrics();
  const host = new Host(config, logger, access, metrics);
  let beside: LedgerBeside | undefined;
  const serve = async (opening: Opening) => {
    const { log, identity, deploymentKey, keyStore } = opening.keep(await openTruth(config, opening));
    const ledger = (beside = opening.keep(await LedgerBeside.open(await openGenerations(config, opening), log.topics, opening)));
    const reader = naming(ledger.reader, await reachingOf(config));
    const admission = await openAdmission(config, opening, logger);
    const life = await host.open({ admission, log, logId: identity.logId, deploymentKey, keyStore, version: version(), ledger: reader });
    ledger.onPositions(({ positions }) => {
      for (const [topic, offsets] of Object.entries(positions))
        for (const [partition, next] of offsets.entries()) life.projected(topic, partition, next);
    });
    const { tail } = await opening.read({ transport: transports.hostTail, log, from: async () => life.from });
    await host.start(tail!);
  };
  return startService({
    config,
    logger,
    metrics,
    port: config.port,
    access,
    modules: [HostModule.with(host)],
    operations: host.operations,
    problems: () => [...host.problems(), ...(beside?.problems ?? [])],
    onUndecided: (why) => host.count(why),
    routes: (app) => host.routes(app.getHttpAdapter().getInstance()),
    open: serve,
    lines: (url) => [`Door        ${url}${config.door.path}`],
    drain: () => host.drain(),
    end: () => host.end(),
  });
}
