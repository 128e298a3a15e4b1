import { prepare } from '@doorledger/postgres';
import type { Pool } from 'pg';
import { MINUTES_COUNTED, secondsUntilPast, type BudgetStore } from '../admission/budget-store.js';
import { budgetTable } from './budget-table.js';

/**
 * Takes a turn and tells, in one statement. `spent` maps a minute to the turns taken in it; the update judges the row that it locked, so that of
 * hosts that race for the last turn one gets it. The outer select sees the row as it was before.
 */
const take = {
  name: 'take turn of budget',
  text: `with clock as (select extract(epoch from now())::float8 as seconds, floor(extract(epoch from now()) / 60)::bigint as minute),
    taken as (
      insert into doorledger.turn_budget as b (user_key, spent, last_minute)
        select $1, jsonb_build_object(minute, 1), minute from clock where $2::bigint > 0
      on conflict (user_key) do update set
        last_minute = greatest(b.last_minute, excluded.last_minute),
        spent = (
          select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(b.spent) where key::bigint > excluded.last_minute - ${MINUTES_COUNTED}
        ) || jsonb_build_object(excluded.last_minute, coalesce((b.spent ->> excluded.last_minute::text)::bigint, 0) + 1)
        where $2::bigint > (
          select coalesce(sum(value::bigint), 0) from jsonb_each_text(b.spent) where key::bigint > excluded.last_minute - ${MINUTES_COUNTED}
        )
      returning 1)
    select exists (select from taken) as taken, seconds, minute::float8, (
      select min(key::bigint)::float8 from doorledger.turn_budget as b, jsonb_object_keys(b.spent) as key
        where b.user_key = $1 and key::bigint > minute - ${MINUTES_COUNTED}
    ) as oldest
    from clock`,
};
const prune = {
  name: 'prune budgets',
  text: `delete from doorledger.turn_budget where last_minute <= floor(extract(epoch from now()) / 60) - ${MINUTES_COUNTED}`,
};

interface TakenRow {
  readonly taken: boolean;
  /** By the database's clock, which all hosts share. */
  readonly seconds: number;
  readonly minute: number;
  readonly oldest: number | null;
}

const PRUNE_EVERY_MS = 600_000;

/**
 * Budgets in table `doorledger.turn_budget`, shared by all hosts (A3). The pool stays the caller's. What a key spent is forgotten with its
 * last minute; rows that say nothing any more are deleted beside a turn, ten minutes apart at least.
 * @throws DoorledgerError `ERR_BUDGETS_NEWER`
 */
export async function openPostgresBudgets(pool: Pool): Promise<BudgetStore> {
  await prepare(pool, budgetTable);
  let prunedAt = -Infinity;
  return {
    take: async (key, limit) => {
      const { rows } = await pool.query<TakenRow>({ ...take, values: [key, limit] });
      if (performance.now() - prunedAt >= PRUNE_EVERY_MS) {
        prunedAt = performance.now();
        // One that fails is made up for by the next.
        pool.query(prune).catch(() => undefined);
      }
      const { taken, seconds, minute, oldest } = rows[0]!;
      return taken ? { isTaken: true } : { isTaken: false, retryAfterS: secondsUntilPast(oldest ?? minute, seconds) };
    },
  };
}
