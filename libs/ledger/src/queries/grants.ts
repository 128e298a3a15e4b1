import type { Kysely } from 'kysely';
import type { GrantRecord } from '../projection/grant-record.js';
import type { LedgerTables, Row } from '../schema/index.js';
import { present } from './present.js';

/** What the log says of one grant, in its order: copies and void uses too (N52). */
export type GrantHistory = readonly GrantRecord[];

/** Ids of one query; engines bound how many parameters it may have. */
const IDS_AT_ONCE = 500;

/** Grants that may still be used, and all that were made at `since` (epoch ms) or later. `now`: epoch ms. */
export async function readGrants(db: Kysely<LedgerTables>, now: number, since: number): Promise<GrantHistory[]> {
  const rows = await db
    .selectFrom('grant')
    .selectAll()
    .where((is) =>
      is.or([
        is('created_at', '>=', since),
        is('revoked_at', '>=', since),
        is.and([is('revoked_at', 'is', null), is.or([is('until', 'is', null), is('until', '>=', now)])]),
      ]),
    )
    .orderBy('created_at')
    .orderBy('grant_id')
    .execute();
  return histories(db, rows);
}

export async function readGrant(db: Kysely<LedgerTables>, grantId: string): Promise<GrantHistory | undefined> {
  const rows = await db.selectFrom('grant').selectAll().where('grant_id', '=', grantId).execute();
  return (await histories(db, rows))[0];
}

async function histories(db: Kysely<LedgerTables>, rows: readonly Row<'grant'>[]): Promise<GrantHistory[]> {
  const uses = new Map<string, GrantRecord[]>();
  for (let at = 0; at < rows.length; at += IDS_AT_ONCE) {
    const ids = rows.slice(at, at + IDS_AT_ONCE).map(({ grant_id }) => grant_id);
    for (const row of await db.selectFrom('grant_use').selectAll().where('grant_id', 'in', ids).execute()) {
      const use = useOf(row);
      const known = uses.get(use.grantId);
      if (known) known.push(use);
      else uses.set(use.grantId, [use]);
    }
  }
  return rows.map((row) => [...ownRecords(row), ...(uses.get(row.grant_id) ?? [])].sort((a, b) => a.offset - b.offset));
}

function ownRecords(row: Row<'grant'>): GrantRecord[] {
  const { grant_id: grantId } = row;
  const records: GrantRecord[] = [];
  if (row.created_offset !== null)
    records.push({ type: 'grant.created', grantId, timestamp: row.created_at!, offset: row.created_offset, data: createdOf(row) });
  if (row.revoked_offset !== null)
    records.push({
      type: 'grant.revoked',
      grantId,
      timestamp: row.revoked_at!,
      offset: row.revoked_offset,
      ...(row.revoked_by !== null && { data: { grantId, by: row.revoked_by } }),
    });
  return records;
}

/** A row with a place of its `grant.created` was made by it, and that says all of these. */
const createdOf = (row: Row<'grant'>): Extract<GrantRecord, { type: 'grant.created' }>['data'] => ({
  grantId: row.grant_id,
  userRef: row.user_ref!,
  server: row.server!,
  tool: row.tool!,
  toolHash: row.tool_hash!,
  schemaHash: row.schema_hash!,
  by: row.granted_by!,
  ...present({ until: row.until, count: row.count }),
  ...(row.private_hash !== null && {
    private: { partition: row.private_partition!, offset: row.private_offset!, hash: row.private_hash },
  }),
});

const useOf = ({ grant_id: grantId, at: timestamp, offset, use_id: useId, request_id: requestId }: Row<'grant_use'>): GrantRecord => ({
  type: 'grant.used',
  grantId,
  timestamp,
  offset,
  ...(useId !== null && requestId !== null && { data: { grantId, useId, requestId } }),
});
