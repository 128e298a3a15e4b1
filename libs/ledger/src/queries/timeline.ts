import { topics } from '@doorledger/contracts';
import type { Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';
import { isoTime } from './iso-time.js';
import { present } from './present.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';

export interface TimelineItem {
  /** `topic:partition:offset`, good for `?at=`. */
  readonly position: string;
  readonly id?: string;
  readonly type?: string;
  readonly at: string;
  readonly turnId?: string;
  readonly verdict: string;
  readonly voidReason?: string;
  /** Absent where nobody can read the record. */
  readonly data?: unknown;
}

interface TimelineRow {
  readonly partition: number;
  readonly offset: number;
}

const oldestFirst: PageOrder<TimelineRow> = { columns: ['partition', 'offset'], direction: 'asc' };

/** Every record of a session's key in log order, standing and void; undefined where the key has none. */
export async function readTimeline(
  db: Kysely<LedgerTables>,
  sessionKey: string,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
): Promise<Page<TimelineItem> | undefined> {
  let query = db
    .selectFrom('fact')
    .selectAll()
    .where('session_key', '=', sessionKey)
    .orderBy('partition')
    .orderBy('offset')
    .limit(limit + 1);
  if (cursor !== undefined) query = query.where(afterCursor(oldestFirst, cursor));
  const rows = await query.execute();
  if (rows.length === 0 && cursor === undefined) return undefined;
  return pageOf(rows, limit, oldestFirst, (row) => ({
    position: `${topics.session.name}:${row.partition}:${row.offset}`,
    at: isoTime(row.at),
    verdict: row.verdict,
    ...present({ id: row.event_id, type: row.type, turnId: row.turn_id, voidReason: row.void_reason }),
    ...(row.data !== null && { data: JSON.parse(row.data) as unknown }),
  }));
}
