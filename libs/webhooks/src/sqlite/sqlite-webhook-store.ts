import { join } from 'node:path';
import { openSqliteFile } from '@doorledger/event-log';
import { v7 as uuidv7 } from 'uuid';
import { deadLetterOf, urlHash, type DeadRow } from '../delivery-row.js';
import { MOST_DEAD, type EndpointCounts, type Leased, type NewDelivery, type PlaceMove, type WebhookStore } from '../webhook-store.js';

const FORMAT = 1;
/** `due_at` is absent of a dead letter, and the end of the lease while somebody tries. */
const TABLES = `
  create table webhook_place (
    log_id text not null, partition integer not null, next integer not null, primary key (log_id, partition)
  ) without rowid;
  create table webhook_delivery (
    delivery_id text primary key, endpoint text not null, event_id text not null, type text not null, request_id text not null,
    body text not null, created_at integer not null, tries integer not null, due_at integer, dead_at integer, why text,
    status integer, error text, unique (endpoint, event_id)
  );
  create index webhook_due on webhook_delivery (endpoint, due_at) where due_at is not null;
  create index webhook_dead on webhook_delivery (endpoint, delivery_id) where dead_at is not null;
  create table webhook_disabled (endpoint text primary key, url_hash text not null, at integer not null) without rowid;`;

interface InsertRow extends NewDelivery {
  readonly deliveryId: string;
  readonly now: number;
  readonly dueAt: number | null;
  readonly deadAt: number | null;
  readonly why: string | null;
}

/**
 * What is to be told, in `webhooks.db` of the data folder: a file of its own, because `keys.db` is the host's to write and the projector may be
 * another process. `synchronous=NORMAL`: a machine that dies may take the last commits with it, place and deliveries alike; they are then
 * read from the ledger and sent again.
 * @throws LogRefusedError when the file is torn, foreign or of another release
 */
export function openSqliteWebhookStore(dir: string): WebhookStore {
  const file = openSqliteFile(join(dir, 'webhooks.db'), {
    kind: 'webhooks',
    role: 'writer',
    synchronous: 'NORMAL',
    format: FORMAT,
    create: (db) => db.exec(TABLES),
  });
  const { db } = file;
  const placesOf = db.prepare<[string], number>('select next from webhook_place where log_id = ? order by partition').pluck();
  const addPlace = db.prepare<[string, number, number]>('insert into webhook_place (log_id, partition, next) values (?, ?, ?)');
  const movePlace = db.prepare<PlaceMove>(
    'update webhook_place set next = @to where log_id = @logId and partition = @partition and next = @from',
  );
  const disabledAt = db.prepare<[string], number>('select at from webhook_disabled where endpoint = ?').pluck();
  const waitingOf = db.prepare<[string], number>('select count(*) from webhook_delivery where endpoint = ? and due_at is not null').pluck();
  const add = db.prepare<InsertRow>(
    `insert into webhook_delivery (delivery_id, endpoint, event_id, type, request_id, body, created_at, tries, due_at, dead_at, why)
     values (@deliveryId, @endpoint, @eventId, @type, @requestId, @body, @now, 0, @dueAt, @deadAt, @why) on conflict (endpoint, event_id) do nothing`,
  );
  const lease = db.prepare<{ endpoint: string; limit: number; now: number; until: number }, Leased>(
    `update webhook_delivery set due_at = @until, tries = tries + 1 where delivery_id in (
       select delivery_id from webhook_delivery where endpoint = @endpoint and due_at <= @now order by due_at, delivery_id limit @limit)
     returning delivery_id as deliveryId, event_id as eventId, type, body, tries, due_at as leasedUntil`,
  );
  const nextDue = db
    .prepare<[string], number | null>('select min(due_at) from webhook_delivery where endpoint = ? and due_at is not null')
    .pluck();
  const remove = db.prepare<[string]>('delete from webhook_delivery where delivery_id = ?');
  const HELD = 'where delivery_id = @deliveryId and due_at = @leasedUntil';
  const again = db.prepare(`update webhook_delivery set due_at = @at, status = @status, error = @error ${HELD}`);
  const bury = db.prepare(
    `update webhook_delivery set due_at = null, dead_at = @now, why = @why, status = @status, error = @error ${HELD} returning endpoint`,
  );
  const giveBack = db.prepare(`update webhook_delivery set due_at = @now, tries = tries - 1 ${HELD}`);
  const disable = db.prepare(
    'insert into webhook_disabled (endpoint, url_hash, at) values (@endpoint, @urlHash, @now) on conflict (endpoint) do nothing',
  );
  const buryAll = db.prepare(
    `update webhook_delivery set due_at = null, dead_at = @now, why = 'gone' where endpoint = @endpoint and due_at is not null`,
  );
  const enableMoved = db.prepare<[string, string]>('delete from webhook_disabled where endpoint = ? and url_hash <> ?');
  const enable = db.prepare<[string]>('delete from webhook_disabled where endpoint = ?');
  const trim = db.prepare<[string, string, number]>(
    `delete from webhook_delivery where endpoint = ? and dead_at is not null and delivery_id in (
       select delivery_id from webhook_delivery where endpoint = ? and dead_at is not null order by delivery_id desc limit -1 offset ?)`,
  );
  const listed = db.prepare<{ endpoint: string | null; before: string | null; limit: number }, DeadRow>(
    `select * from webhook_delivery where dead_at is not null and (@endpoint is null or endpoint = @endpoint)
       and (@before is null or delivery_id < @before) order by delivery_id desc limit @limit`,
  );
  const revive = (condition: string) =>
    db
      .prepare<[number, string], string>(
        `update webhook_delivery set due_at = ?, tries = 0, dead_at = null, why = null where dead_at is not null and ${condition} returning endpoint`,
      )
      .pluck();
  const reviveOne = revive('delivery_id = ?');
  const reviveAll = revive('endpoint = ?');
  const counted = db.prepare<[], EndpointCounts & { readonly disabledAt: number | null }>(
    `select endpoint, sum(waiting) as waiting, sum(dead) as dead, max(at) as disabledAt from (
       select endpoint, due_at is not null as waiting, dead_at is not null as dead, null as at from webhook_delivery
       union all select endpoint, 0, 0, at from webhook_disabled) group by endpoint order by endpoint`,
  );
  const trimmed = (endpoint: string) => trim.run(endpoint, endpoint, MOST_DEAD);

  return {
    isShared: false,
    begin: async (logId, ends) =>
      file.write(() => {
        if (placesOf.all(logId).length === 0) ends.forEach((end, partition) => addPlace.run(logId, partition, end));
        return placesOf.all(logId);
      }),
    enqueue: async (move, deliveries, backlog, now) =>
      file.write(() => {
        if (movePlace.run(move).changes === 0) return 'stale';
        const full = new Set<string>();
        for (const delivery of deliveries) {
          const { endpoint } = delivery;
          const why = disabledAt.get(endpoint) !== undefined ? 'gone' : waitingOf.get(endpoint)! >= backlog ? 'backlog' : null;
          const end = why === null ? { why, dueAt: now, deadAt: null } : { why, dueAt: null, deadAt: now };
          add.run({ ...delivery, ...end, deliveryId: uuidv7(), now });
          if (why !== null) full.add(endpoint);
        }
        full.forEach(trimmed);
        return 'moved';
      }),
    lease: async (endpoint, limit, now, until) => file.write(() => lease.all({ endpoint, limit, now, until })),
    nextDue: async (endpoint) => nextDue.get(endpoint) ?? undefined,
    delivered: async ({ deliveryId }) => void file.write(() => remove.run(deliveryId)),
    retry: async (delivery, { status = null, error = null }, at) => void file.write(() => again.run({ ...delivery, status, error, at })),
    bury: async (delivery, { status = null, error = null }, now) =>
      file.write(() => {
        const buried = bury.get({ ...delivery, status, error, now, why: 'tries' }) as { endpoint: string } | undefined;
        if (buried) trimmed(buried.endpoint);
      }),
    release: async (delivery, now) => void file.write(() => giveBack.run({ ...delivery, now })),
    disable: async (delivery, endpoint, url, { status = null, error = null }, now) =>
      file.write(() => {
        if (!bury.get({ ...delivery, status, error, now, why: 'gone' })) return;
        disable.run({ endpoint, urlHash: urlHash(url), now });
        buryAll.run({ endpoint, now });
        trimmed(endpoint);
      }),
    moved: async (endpoint, url) => void file.write(() => enableMoved.run(endpoint, urlHash(url))),
    deadLetters: async ({ limit, endpoint = null, before = null }) => listed.all({ limit, endpoint, before }).map(deadLetterOf),
    redeliver: async (which, now) =>
      file.write(() => {
        const revived = 'deliveryId' in which ? reviveOne.all(now, which.deliveryId) : reviveAll.all(now, which.endpoint);
        const [endpoint] = revived;
        if (endpoint === undefined) return new Map<string, number>();
        enable.run(endpoint);
        return new Map([[endpoint, revived.length]]);
      }),
    counts: async () => counted.all().map(({ disabledAt: at, ...row }) => ({ ...row, ...(at !== null && { disabledAt: at }) })),
    close: async () => file.close(),
  };
}
