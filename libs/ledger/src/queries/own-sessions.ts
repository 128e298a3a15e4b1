import { sql, type Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';
import { isoTime } from './iso-time.js';

/** A session as its owner sees it in a list (O6). */
export interface OwnSession {
  readonly sessionRef: string;
  /** ISO time of its last standing record. */
  readonly savedAt: string;
  readonly messageCount: number;
  /** The request it waits for. */
  readonly awaiting?: string;
  /** The session's id, sealed under its key (X1); absent when the name was erased. */
  readonly name?: { readonly keyId: string; readonly sealed: Uint8Array };
}

interface OwnSessionRow {
  readonly last_at: number;
  readonly session_key: string;
}

const newestFirst: PageOrder<OwnSessionRow> = { columns: ['last_at', 'session_key'], direction: 'desc' };

/** The open sessions of an owner (userRef), newest first. */
export async function listOwnSessions(
  db: Kysely<LedgerTables>,
  owner: string,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
): Promise<Page<OwnSession>> {
  let query = db
    .selectFrom('session as s')
    .leftJoin('subject as n', 'n.ref', 's.session_key')
    .select(['s.session_key as session_key', 's.last_at as last_at', 's.awaiting', 'n.key_id', 'n.sealed'])
    .where('s.owner', '=', owner)
    .where('s.closed_at', 'is', null)
    .orderBy('s.last_at', 'desc')
    .orderBy('s.session_key', 'desc')
    .limit(limit + 1);
  if (cursor !== undefined) query = query.where(afterCursor(newestFirst, cursor));
  const rows = await query.execute();
  const counts = await messageCounts(
    db,
    rows.map((row) => row.session_key),
  );
  return pageOf(rows, limit, newestFirst, (row) => ({
    sessionRef: row.session_key,
    savedAt: isoTime(row.last_at),
    messageCount: counts.get(row.session_key) ?? 0,
    ...(row.awaiting !== null && { awaiting: row.awaiting }),
    ...(row.key_id !== null && row.sealed && { name: { keyId: row.key_id, sealed: row.sealed } }),
  }));
}

/** Messages that standing records name, once each (L10). */
async function messageCounts(db: Kysely<LedgerTables>, keys: readonly string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const named = db
    .selectFrom('fact as f')
    .innerJoin('message as m', (join) =>
      join
        .onRef('m.partition', '=', 'f.private_partition')
        .onRef('m.offset', '=', 'f.private_offset')
        .onRef('m.session_key', '=', 'f.session_key')
        .onRef('m.hash', '=', 'f.private_hash'),
    )
    .select(['f.session_key', 'm.partition', 'm.offset', 'm.messages'])
    .where('f.session_key', 'in', keys)
    .where('f.verdict', '=', 'stands')
    .where('m.type', '=', 'messages.added')
    .distinct();
  const rows = await db
    .selectFrom(named.as('n'))
    .select(['n.session_key', sql<number>`sum(n.messages)`.as('count')])
    .groupBy('n.session_key')
    .execute();
  return new Map(rows.map((row) => [row.session_key, Number(row.count)]));
}
