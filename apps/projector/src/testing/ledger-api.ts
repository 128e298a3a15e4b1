import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type makeGuard, makeIdentify, type Verifier } from '@doorledger/access';
import { loadConfig } from '@doorledger/config';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { EventLogStrategy, transports } from '@doorledger/event-log/transport';
import { LedgerGenerations } from '@doorledger/ledger';
import { ErrorFilter } from '../../../host/src/error.filter.js';
import { leaveBodies } from '../../../host/src/sent-fields.js';
import { Metrics, createLogger } from '@doorledger/observability';
import type { References } from '@doorledger/privacy';
import { Projection } from '../projection.js';
import { ProjectorModule } from '../projector.module.js';
import { WebhookSender } from '../webhook-sender.js';

/** An embedded log with its projector and the ledger API over it. */
export interface LedgerApi {
  readonly dir: string;
  readonly log: EventLog;
  readonly projection: Projection;
  readonly app: NestFastifyApplication;
  close(): Promise<void>;
}

/** Without a verifier it is open to everybody (I1), and without a guard to requests of every shape. */
export async function ledgerApi(
  references: Partial<References>,
  verifier?: Verifier,
  guard: ReturnType<typeof makeGuard> = () => undefined,
): Promise<LedgerApi> {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-api-'));
  const log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
  const projection = new Projection();
  await projection.open({ log, generations: new LedgerGenerations(dir), references: references as References });
  const logger = createLogger({ level: 'silent', format: 'json' });
  const access = { guard, identify: makeIdentify({ ...(verifier && { verifier }), allowAnonymous: false }), warnings: [] };
  const sender = new WebhookSender(loadConfig({ env: {}, cwd: dir }), logger);
  const testing = await Test.createTestingModule({
    imports: [ProjectorModule.with(projection, access, sender, { logger, metrics: new Metrics() })],
  }).compile();
  const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { bodyParser: false });
  app.useGlobalFilters(new ErrorFilter(logger));
  leaveBodies(app.getHttpAdapter().getInstance());
  app.connectMicroservice({ strategy: new EventLogStrategy({ transport: transports.projector, log, from: async () => projection.from }) });
  await app.startAllMicroservices();
  await app.init();
  return {
    dir,
    log,
    projection,
    app,
    close: async () => {
      await app.close();
      await projection.close();
      await log.close();
      rmSync(dir, { recursive: true });
    },
  };
}
