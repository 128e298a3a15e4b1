import type { Kysely } from 'kysely';
import type { FoldedSession } from '../projection/session.js';
import type { LedgerTables } from '../schema/index.js';
import { readStoredState } from './stored-state.js';

/** Lists are padded to one of these lengths, so that statements can be kept. */
const LENGTHS = [1, 16, 128, 1000] as const;

/** The sessions of these keys as they are stored; keys without a row are left out. */
export async function readFoldedSessions(db: Kysely<LedgerTables>, keys: readonly string[]): Promise<FoldedSession[]> {
  const sessions: FoldedSession[] = [];
  const longest = LENGTHS[LENGTHS.length - 1]!;
  for (let at = 0; at < keys.length; at += longest) {
    const some = keys.slice(at, at + longest);
    const length = LENGTHS.find((l) => l >= some.length)!;
    const padded = [...some, ...new Array<string>(length - some.length).fill(some[0]!)];
    const rows = await db
      .selectFrom('session')
      .select(['session_key', 'partition', 'state', 'last_at', 'last_offset', 'turns', 'tenant_ref', 'closed_at', 'closed_reason'])
      .where('session_key', 'in', padded)
      .execute();
    for (const row of rows)
      sessions.push({
        key: row.session_key,
        partition: row.partition,
        state: readStoredState(row.state),
        lastAt: row.last_at,
        lastOffset: row.last_offset,
        turns: row.turns,
        tenantRef: row.tenant_ref,
        closedAt: row.closed_at,
        closedReason: row.closed_reason,
      });
  }
  return sessions;
}
