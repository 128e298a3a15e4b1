import type { SchemaPart } from '@doorledger/postgres';
import { WebhookError } from '../errors.js';

/** `due_at` is absent of a dead letter, and the end of the lease while somebody tries. Times are epoch ms. */
export const webhookTables: SchemaPart = {
  name: 'webhooks',
  steps: [
    `create table doorledger.webhook_place (
       log_id text collate "C" not null, partition integer not null, next bigint not null, primary key (log_id, partition));
     create table doorledger.webhook_delivery (
       delivery_id text collate "C" primary key, endpoint text collate "C" not null, event_id text collate "C" not null, type text not null,
       request_id text not null, body text not null, created_at bigint not null, tries integer not null, due_at bigint, dead_at bigint,
       why text, status integer, error text, unique (endpoint, event_id));
     create index webhook_due on doorledger.webhook_delivery (endpoint, due_at) where due_at is not null;
     create index webhook_dead on doorledger.webhook_delivery (endpoint, delivery_id) where dead_at is not null;
     create table doorledger.webhook_disabled (endpoint text collate "C" primary key, url_hash text not null, at bigint not null);`,
  ],
  newer: (version, known) =>
    new WebhookError(
      'ERR_WEBHOOKS_NEWER',
      `The tables of webhooks in the database have version ${version} of a newer release; this one knows ${known}. Use that release.`,
    ),
};
