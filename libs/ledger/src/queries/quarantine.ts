import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';
import { present } from './present.js';

/** A record of a topic without claims that nobody can read: it counts as nothing. Never its content. */
export interface QuarantinedRecord {
  readonly position: string;
  readonly type?: string;
  readonly why: string;
}

const byPlace: PageOrder<Pick<Row<'quarantine'>, 'topic' | 'partition' | 'offset'>> = {
  columns: ['topic', 'partition', 'offset'],
  direction: 'asc',
};

/** Quarantined records by their place. */
export async function listQuarantined(
  db: Kysely<LedgerTables>,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
): Promise<Page<QuarantinedRecord>> {
  let query = db
    .selectFrom('quarantine')
    .selectAll()
    .orderBy('topic')
    .orderBy('partition')
    .orderBy('offset')
    .limit(limit + 1);
  if (cursor !== undefined) query = query.where(afterCursor(byPlace, cursor));
  return pageOf(await query.execute(), limit, byPlace, ({ topic, partition, offset, type, why }) => ({
    position: `${topic}:${partition}:${offset}`,
    why,
    ...present({ type }),
  }));
}
