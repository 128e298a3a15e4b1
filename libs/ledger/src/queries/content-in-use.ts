import { sql, type Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

/** A name of a person or a session, by its place in the private topic. */
export interface NameRow {
  readonly ref: string;
  readonly offset: number;
}

/**
 * By partition, the lowest offset of private content that somebody still needs (X3): all that was said in sessions that wait for a person or
 * run, and the patterns of grants in force.
 */
export async function readContentInUse(db: Kysely<LedgerTables>, now: number): Promise<ReadonlyMap<number, number>> {
  const lowest = new Map<number, number>();
  const take = (rows: readonly { readonly partition: number | null; readonly offset: number | null }[]) => {
    for (const { partition, offset } of rows)
      if (partition !== null && offset !== null) lowest.set(partition, Math.min(Number(offset), lowest.get(partition) ?? Infinity));
  };
  for (const table of ['message', 'artifact'] as const) {
    const busy = db
      .selectFrom('session')
      .select('session_key')
      .where('awaiting', 'is not', null)
      .union(db.selectFrom('open_run').select('session_key'));
    take(
      await db
        .selectFrom(table)
        .select(['partition', sql<number>`min("offset")`.as('offset')])
        .where('session_key', 'in', busy)
        .groupBy('partition')
        .execute(),
    );
  }
  take(
    await db
      .selectFrom('grant')
      .select(['private_partition as partition', sql<number>`min(private_offset)`.as('offset')])
      .where('revoked_at', 'is', null)
      .where((is) => is.or([is('until', 'is', null), is('until', '>=', now)]))
      .groupBy('private_partition')
      .execute(),
  );
  return lowest;
}

/** Names that a cut would take and somebody still goes by. */
export async function readNamesInUse(
  db: Kysely<LedgerTables>,
  { partition, before, since }: { readonly partition: number; readonly before: number; readonly since: number },
): Promise<NameRow[]> {
  return db
    .selectFrom('subject as n')
    .select(['n.ref as ref', 'n.offset as offset'])
    .where('n.partition', '=', partition)
    .where('n.offset', '<', before)
    .where((is) => {
      const used = () =>
        is.selectFrom('session as s').select('s.session_key').where('s.closed_at', 'is', null).where('s.last_at', '>=', since);
      // Two probes, each by an index.
      return is.or([is.exists(used().whereRef('s.session_key', '=', 'n.ref')), is.exists(used().whereRef('s.owner', '=', 'n.ref'))]);
    })
    .orderBy('n.offset')
    .execute();
}
