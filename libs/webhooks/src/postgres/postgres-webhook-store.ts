import { prepare } from '@doorledger/postgres';
import type { ClientBase, Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { deadLetterOf, urlHash, type DeadRow } from '../delivery-row.js';
import { MOST_DEAD, type EndpointCounts, type Leased, type NewDelivery, type PlaceMove, type WebhookStore } from '../webhook-store.js';
import { webhookTables } from './webhook-tables.js';

const PLACES = 'select next from doorledger.webhook_place where log_id = $1 order by partition';
/** Every process may say where a log begins; the first one counts, for all partitions. */
const BEGIN = `insert into doorledger.webhook_place (log_id, partition, next)
  select $1, given.place - 1, given.next from unnest($2::bigint[]) with ordinality as given (next, place)
  where not exists (select from doorledger.webhook_place where log_id = $1) on conflict do nothing`;
const MOVE = 'update doorledger.webhook_place set next = $4 where log_id = $1 and partition = $2 and next = $3';
const ADD = `with given as (
    select *, row_number() over (partition by endpoint order by place) as nth
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) with ordinality
      as given (delivery_id, endpoint, event_id, type, request_id, body, place)),
  judged as (
    select given.*, case
      when exists (select from doorledger.webhook_disabled as d where d.endpoint = given.endpoint) then 'gone'
      when nth + (select count(*) from doorledger.webhook_delivery as w where w.endpoint = given.endpoint and w.due_at is not null) > $7
        then 'backlog' end as why
    from given)
  insert into doorledger.webhook_delivery (delivery_id, endpoint, event_id, type, request_id, body, created_at, tries, due_at, dead_at, why)
    select delivery_id, endpoint, event_id, type, request_id, body, $8, 0,
      case when why is null then $8::bigint end, case when why is not null then $8::bigint end, why from judged order by place
  on conflict (endpoint, event_id) do nothing returning endpoint, why`;
const LEASE = `update doorledger.webhook_delivery set due_at = $4, tries = tries + 1 where delivery_id in (
    select delivery_id from doorledger.webhook_delivery where endpoint = $1 and due_at <= $3 order by due_at, delivery_id limit $2 for update skip locked)
  returning delivery_id as "deliveryId", event_id as "eventId", type, body, tries, due_at as "leasedUntil"`;
const HELD = 'where delivery_id = $1 and due_at = $2';
const TRIM = `delete from doorledger.webhook_delivery where dead_at is not null and delivery_id in (
  select delivery_id from doorledger.webhook_delivery where endpoint = $1 and dead_at is not null order by delivery_id desc offset $2)`;
const BURY = `update doorledger.webhook_delivery set due_at = null, dead_at = $3, why = $4, status = $5, error = $6 ${HELD} returning endpoint`;
const BURY_ALL = `update doorledger.webhook_delivery set due_at = null, dead_at = $2, why = 'gone' where endpoint = $1 and due_at is not null`;
const LISTED = `select * from doorledger.webhook_delivery where dead_at is not null and ($2::text is null or endpoint = $2)
  and ($3::text is null or delivery_id < $3) order by delivery_id desc limit $1`;
const REVIVE = `update doorledger.webhook_delivery set due_at = $1, tries = 0, dead_at = null, why = null
  where dead_at is not null and (delivery_id = $2 or endpoint = $3) returning endpoint`;
const COUNTS = `select endpoint, sum(waiting)::integer as waiting, sum(dead)::integer as dead, max(at) as "disabledAt" from (
    select endpoint, count(due_at) as waiting, count(dead_at) as dead, null::bigint as at from doorledger.webhook_delivery group by endpoint
    union all select endpoint, 0, 0, at from doorledger.webhook_disabled) as counted group by endpoint order by endpoint`;

/**
 * What is to be told, in tables that all projectors of a deployment share: each delivery is leased by one of them at a time. It takes the
 * pool over: closing the store ends it.
 * @throws WebhookError `ERR_WEBHOOKS_NEWER`
 */
export async function openPostgresWebhookStore(pool: Pool): Promise<WebhookStore> {
  await prepare(pool, webhookTables);

  async function inTransaction<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
  const add = async (client: ClientBase, deliveries: readonly NewDelivery[], backlog: number, now: number): Promise<void> => {
    const column = (of: (delivery: NewDelivery) => string) => deliveries.map(of);
    const { rows } = await client.query<{ endpoint: string; why: string | null }>(ADD, [
      deliveries.map(() => uuidv7()),
      column(({ endpoint }) => endpoint),
      column(({ eventId }) => eventId),
      column(({ type }) => type),
      column(({ requestId }) => requestId),
      column(({ body }) => body),
      backlog,
      now,
    ]);
    const dead = new Set(rows.flatMap(({ endpoint, why }) => (why === null ? [] : [endpoint])));
    for (const endpoint of dead) await client.query(TRIM, [endpoint, MOST_DEAD]);
  };

  return {
    isShared: true,
    begin: async (logId, ends) => {
      await pool.query(BEGIN, [logId, ends]);
      return (await pool.query<{ next: number }>(PLACES, [logId])).rows.map(({ next }) => next);
    },
    enqueue: ({ logId, partition, from, to }: PlaceMove, deliveries, backlog, now) =>
      inTransaction(async (client) => {
        const { rowCount } = await client.query(MOVE, [logId, partition, from, to]);
        if (rowCount === 0) return 'stale';
        if (deliveries.length > 0) await add(client, deliveries, backlog, now);
        return 'moved';
      }),
    lease: async (endpoint, limit, now, until) => (await pool.query<Leased>(LEASE, [endpoint, limit, now, until])).rows,
    nextDue: async (endpoint) => {
      const { rows } = await pool.query<{ due: number | null }>(
        'select min(due_at) as due from doorledger.webhook_delivery where endpoint = $1 and due_at is not null',
        [endpoint],
      );
      return rows[0]!.due ?? undefined;
    },
    delivered: async ({ deliveryId }) =>
      void (await pool.query('delete from doorledger.webhook_delivery where delivery_id = $1', [deliveryId])),
    retry: async ({ deliveryId, leasedUntil }, { status = null, error = null }, at) =>
      void (await pool.query(`update doorledger.webhook_delivery set due_at = $3, status = $4, error = $5 ${HELD}`, [
        deliveryId,
        leasedUntil,
        at,
        status,
        error,
      ])),
    bury: ({ deliveryId, leasedUntil }, { status = null, error = null }, now) =>
      inTransaction(async (client) => {
        const { rows } = await client.query<{ endpoint: string }>(BURY, [deliveryId, leasedUntil, now, 'tries', status, error]);
        for (const { endpoint } of rows) await client.query(TRIM, [endpoint, MOST_DEAD]);
      }),
    release: async ({ deliveryId, leasedUntil }, now) =>
      void (await pool.query(`update doorledger.webhook_delivery set due_at = $3, tries = tries - 1 ${HELD}`, [
        deliveryId,
        leasedUntil,
        now,
      ])),
    disable: ({ deliveryId, leasedUntil }, endpoint, url, { status = null, error = null }, now) =>
      inTransaction(async (client) => {
        const { rowCount } = await client.query(BURY, [deliveryId, leasedUntil, now, 'gone', status, error]);
        if (rowCount === 0) return;
        await client.query(
          'insert into doorledger.webhook_disabled (endpoint, url_hash, at) values ($1, $2, $3) on conflict (endpoint) do nothing',
          [endpoint, urlHash(url), now],
        );
        await client.query(BURY_ALL, [endpoint, now]);
        await client.query(TRIM, [endpoint, MOST_DEAD]);
      }),
    moved: async (endpoint, url) =>
      void (await pool.query('delete from doorledger.webhook_disabled where endpoint = $1 and url_hash <> $2', [endpoint, urlHash(url)])),
    deadLetters: async ({ limit, endpoint = null, before = null }) =>
      (await pool.query<DeadRow>(LISTED, [limit, endpoint, before])).rows.map(deadLetterOf),
    redeliver: (which, now) =>
      inTransaction(async (client) => {
        const given = 'deliveryId' in which ? [which.deliveryId, null] : [null, which.endpoint];
        const { rows } = await client.query<{ endpoint: string }>(REVIVE, [now, ...given]);
        const [first] = rows;
        if (!first) return new Map<string, number>();
        await client.query('delete from doorledger.webhook_disabled where endpoint = $1', [first.endpoint]);
        return new Map([[first.endpoint, rows.length]]);
      }),
    counts: async () =>
      (await pool.query<EndpointCounts & { readonly disabledAt: number | null }>(COUNTS)).rows.map(({ disabledAt, ...row }) => ({
        ...row,
        ...(disabledAt !== null && { disabledAt }),
      })),
    close: () => pool.end(),
  };
}
