import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { NamedContent, StandingContent, UnreadContent } from '../reader.js';
import type { LedgerTables } from '../schema/index.js';

/**
 * Content in the order it was named (L10): same place, same key, same hash. Split content is named at its first part by the
 * hash of the whole; its other parts share key and hash. The two topics are read each by itself: what was named and is not here yet, or
 * not whole, is told apart, for a history without its newest messages would pass for a whole one. A session's content lies in one
 * partition, so what is unread comes after what is read.
 */
export async function readStandingContent(db: Kysely<LedgerTables>, sessionKey: string, after = -1): Promise<NamedContent> {
  const rows = await db
    .selectFrom('fact as f')
    .leftJoin('message as m', (join) =>
      join
        .onRef('m.partition', '=', 'f.private_partition')
        .onRef('m.offset', '=', 'f.private_offset')
        .onRef('m.session_key', '=', 'f.session_key')
        .onRef('m.hash', '=', 'f.private_hash'),
    )
    .select([
      'm.type',
      'm.turn_id',
      'm.run_id',
      'f.private_partition as partition',
      'f.private_offset as offset',
      'f.private_hash as named_hash',
      'm.key_id',
      'm.sealed',
      'm.parts',
      'f.type as named_by',
      'f.offset as named_at',
    ])
    .where('f.session_key', '=', sessionKey)
    .where('f.offset', '>', after)
    .where('f.verdict', '=', 'stands')
    .where('f.private_offset', 'is not', null)
    .orderBy('f.offset')
    .execute();
  const read: StandingContent[] = [];
  const unread: UnreadContent[] = [];
  const seen = new Set<string>();
  let readUntil: number | undefined;
  for (const row of rows) {
    // A copy of a record names the same place again.
    const place = `${row.partition}:${row.offset}`;
    if (seen.has(place)) continue;
    seen.add(place);
    const at = { partition: row.partition!, offset: row.offset! };
    const sealed = row.parts === null ? row.sealed : await joinParts(db, sessionKey, row.named_hash!, row.parts);
    if (!sealed) {
      unread.push({ ...at, hash: row.named_hash! });
      continue;
    }
    if (unread.length === 0) readUntil = row.named_at;
    read.push({
      type: row.type!,
      turnId: row.turn_id!,
      runId: row.run_id!,
      ...at,
      keyId: row.key_id!,
      sealed,
      namedBy: row.named_by!,
    });
  }
  return { read, unread, ...(readUntil !== undefined && { readUntil }) };
}

/** Undefined while a part is missing, and where the parts are not the whole that was named. */
async function joinParts(db: Kysely<LedgerTables>, sessionKey: string, whole: string, count: number): Promise<Uint8Array | undefined> {
  const rows = await db
    .selectFrom('message')
    .select(['part', 'sealed'])
    .where('session_key', '=', sessionKey)
    .where('hash', '=', whole)
    .where('parts', 'is not', null)
    .orderBy('part')
    .orderBy('partition')
    .orderBy('offset')
    .execute();
  // A part appended twice is there twice.
  const parts = rows.filter((row, i) => i === 0 || row.part !== rows[i - 1]!.part);
  if (parts.length !== count) return undefined;
  const sealed = Buffer.concat(parts.map((row) => row.sealed!));
  return hash('sha256', sealed, 'hex') === whole ? sealed : undefined;
}
