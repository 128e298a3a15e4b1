import { sql, type Kysely } from 'kysely';
import type { DueConsent } from '../reader.js';
import type { LedgerTables } from '../schema/index.js';

/** How long somebody has to take up what is decided (L12), ms. */
const UNCLAIMED_MS = 5000;

/**
 * Waiting requests that nobody else settles (L12): first those past a clock by `now`, then those that their votes have decided while no
 * run has taken them up; the one asked first first. Nothing can be said of a key that a record blocks. One query, by index over what waits.
 */
export async function readDueConsents(db: Kysely<LedgerTables>, now: number, limit: number): Promise<DueConsent[]> {
  const since = now - UNCLAIMED_MS;
  const standing = sql`select * from consent_attempt as a
    where a.request_id = c.request_id and a.session_key = c.session_key and a.kind = 'voted' and a.stands = 1`;
  // A vote against counts for as much as a whole quorum: either way it is decided.
  const said = sql<number>`(select sum(case when v.verdict = 'declined' then c.quorum else 1 end) from (${standing}) as v where v.at <= ${since})`;
  const isPast = sql<number>`case when c.decide_by < ${now} or c.spend_by < ${now} then 1 else 0 end`;
  const due = db
    .selectFrom('consent as c')
    .innerJoin('session as s', 's.session_key', 'c.session_key')
    .innerJoin('turn as t', (join) => join.onRef('t.turn_id', '=', 'c.turn_id').onRef('t.session_key', '=', 'c.session_key'))
    .select(['c.request_id', 'c.session_key', 'c.minted_at', isPast.as('is_past')])
    .where('s.blocked_by', 'is', null)
    .where((is) =>
      is.or([
        is.and([is('c.status', '=', 'pending'), is('c.decide_by', '<', now)]),
        is.and([is('c.status', '=', 'pending'), is('c.spend_by', '<', now)]),
        is.and([
          is('c.status', '=', 'pending'),
          is('c.quorum', '>=', 1),
          is('t.last_at', '<=', since),
          sql<boolean>`${said} >= c.quorum`,
          is.not(
            is.exists(
              is
                .selectFrom('open_run as r')
                .select('r.run_id')
                .whereRef('r.session_key', '=', 'c.session_key')
                .where('r.status', '=', 'standing'),
            ),
          ),
        ]),
      ]),
    )
    .orderBy('is_past', 'desc')
    .orderBy('c.minted_at')
    .orderBy('c.request_id')
    .limit(limit);
  const rows = await db
    .selectFrom(due.as('c'))
    .selectAll()
    .select(sql<number>`case when exists (select 1 from (${standing}) as v where v.verdict = 'declined') then 1 else 0 end`.as('is_vetoed'))
    .orderBy('is_past', 'desc')
    .orderBy('minted_at')
    .orderBy('request_id')
    .execute();
  return rows.map((row) => ({
    requestId: row.request_id,
    sessionKey: row.session_key,
    due: row.is_past === 1 ? 'expired' : row.is_vetoed === 1 ? 'declined' : 'approved',
  }));
}
