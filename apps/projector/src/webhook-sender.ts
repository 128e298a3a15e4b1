import { withSecrets, type DoorledgerConfig, type WebhookEndpointConfig } from '@doorledger/config';
import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { LedgerError, readConsentNews } from '@doorledger/ledger';
import type { Logger } from '@doorledger/observability';
import type { References } from '@doorledger/privacy';
import {
  EVERY_TENANT,
  WebhookError,
  Webhooks,
  openSqliteWebhookStore,
  secretOf,
  type Endpoint,
  type WebhookStore,
} from '@doorledger/webhooks';
import { whenThere } from '../../host/src/open-ledger.js';
import type { Opening } from '../../host/src/service.js';
import type { Projection } from './projection.js';

interface SendingOptions {
  readonly log: EventLog;
  readonly logId: string;
  readonly projection: Projection;
}

/** Sends webhooks beside the projection, if the settings name somebody (N54); also an injection token. */
export class WebhookSender {
  readonly #config: DoorledgerConfig;
  readonly #logger: Logger;
  #sending?: Webhooks;

  constructor(config: DoorledgerConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  /** @throws ConfigError and WebhookError as an operator's sentence; LogRefusedError for a file that is not what it should be */
  async open({ log, logId, projection }: SendingOptions, opening: Pick<Opening, 'onWaiting' | 'signal' | 'keep'>): Promise<void> {
    const { endpoints, link, timeoutMs, tries, backlog } = this.#config.webhooks;
    if (endpoints.length === 0) return;
    const { projector, references } = projection;
    const told = endpoints.map((endpoint) => endpointOf(endpoint, references));
    const store = await storeOf(this.#config, opening);
    try {
      this.#sending = await Webhooks.open({
        store,
        endpoints: told,
        logId,
        ends: await whenThere(() => log.ends(topics.session.name), opening),
        read: (partition, from, limit) => readConsentNews(projection.store.db, partition, from, limit),
        limits: { timeoutMs, tries, backlog },
        ...(link !== undefined && { link }),
        ...this.#hooks(),
      });
    } catch (error) {
      await store.close();
      throw error;
    }
    opening.keep(this.#sending);
    projector.onApplied((topic, partition) => {
      if (topic === topics.session.name) this.#sending?.notice([partition]);
    });
  }

  /** Other projectors share the partitions: these are this one's now. */
  takeUp(partitions: readonly number[]): void {
    this.#sending?.takeUp(partitions);
  }

  /** @throws LedgerError `ERR_NOT_FOUND` where nobody is told, `ERR_LEDGER_BEHIND` until the ledger is there */
  get webhooks(): Webhooks {
    if (this.#config.webhooks.endpoints.length === 0)
      throw new LedgerError('ERR_NOT_FOUND', 'This process sends no webhooks: the setting webhooks.endpoints names nobody.');
    if (!this.#sending) throw new LedgerError('ERR_LEDGER_BEHIND', 'The log or the ledger is not there yet. Try again soon.');
    return this.#sending;
  }

  #hooks(): Pick<Parameters<typeof Webhooks.open>[0], 'onDead' | 'onDisabled' | 'onOutage'> {
    const logger = this.#logger;
    return {
      onDead: (letter) => logger.warn(letter, 'A webhook was tried for the last time: see GET /v1/webhooks/dead-letters.'),
      onDisabled: (endpoint) =>
        logger.warn({ endpoint }, 'An endpoint of webhooks answered 410: it gets no more until its dead letters are redelivered.'),
      onOutage: (err) => logger.warn({ err }, 'What webhooks are to be sent cannot be read or kept; it is tried again.'),
    };
  }
}

function endpointOf(
  { name, url, secrets, events = ['waiting', 'settled', 'outcome'], tenant }: WebhookEndpointConfig,
  references: References,
): Endpoint {
  const filled = withSecrets(`Webhook endpoint ${name}`, Object.fromEntries(secrets.entries()), { env: process.env, base: process.cwd() });
  return {
    name,
    url,
    secrets: Object.values(filled).map((text) => {
      const secret = secretOf(text);
      if (!secret)
        throw new WebhookError(
          'ERR_WEBHOOK_SECRET',
          `A secret of webhook endpoint ${name} is not "whsec_" and 24 to 64 bytes in base64: make one.`,
        );
      return secret;
    }),
    events: new Set(events.map((event) => `consent.${event}` as const)),
    ...(tenant !== undefined && { tenantRef: tenant === EVERY_TENANT ? EVERY_TENANT : references.tenantRef(tenant) }),
  };
}

/** Beside the ledger, and outside its generations. Of a file, the caller holds the ledger's lock of the data folder. */
async function storeOf(
  { store, data, databaseUrl: url = '' }: DoorledgerConfig,
  opening: Pick<Opening, 'onWaiting' | 'signal'>,
): Promise<WebhookStore> {
  if (store === 'sqlite') return openSqliteWebhookStore(data);
  const { openPostgresPool, reached } = await import('@doorledger/ledger/postgres');
  const { openPostgresWebhookStore } = await import('@doorledger/webhooks/postgres');
  return whenThere(async () => {
    const pool = openPostgresPool({ url, role: 'webhooks' });
    try {
      return await reached(() => openPostgresWebhookStore(pool));
    } catch (error) {
      await pool.end();
      throw error;
    }
  }, opening);
}
