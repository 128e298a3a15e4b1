import { sql, type Kysely } from 'kysely';
import type { LedgerTables } from '../schema/index.js';
import { isoTime } from './iso-time.js';
import { readLostToolSessions } from './lost-tool-sessions.js';

/** Tool sessions counted: what is open now, and what began and ended since a time. */
export interface ToolSessionSummary {
  readonly from: string;
  readonly live: number;
  /** Hosts that hold one. */
  readonly hosts: number;
  /** Open ones of host lives that are over: nobody closed them yet. At most 1000 are counted. */
  readonly leaked: number;
  /** There were more than are counted: `started`, `calls` and `ended` are of the newest 10 000. */
  readonly isMore: boolean;
  /** Opened since `from`, and the calls that used these: all calls but the first of each were spared a start. */
  readonly started: number;
  readonly calls: number;
  /** Ended since `from`, by reason, the most frequent first; `failed` are those whose close went wrong. */
  readonly ended: readonly { readonly reason: string; readonly count: number; readonly failed: number }[];
  /** Longest that closing one took, in ms. */
  readonly longestCleanupMs?: number;
}

const MOST_LEAKED = 1000;
/** Bounds what one answer reads: of more, the newest are counted. */
const MOST_COUNTED = 10_000;

/** @param from epoch ms by the log's clock */
export async function readToolSessionSummary(db: Kysely<LedgerTables>, from: number): Promise<ToolSessionSummary> {
  const open = await db
    .selectFrom('tool_session')
    .select((of) => of.fn.countAll<number>().as('live'))
    .select(sql<number>`count(distinct host_id)`.as('hosts'))
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow();
  const begun = await db
    .selectFrom((of) =>
      of
        .selectFrom('tool_session')
        .select('calls')
        .where('started_at', '>=', from)
        .orderBy('started_at', 'desc')
        .orderBy('tool_session_id', 'desc')
        .limit(MOST_COUNTED)
        .as('newest'),
    )
    .select((of) => [of.fn.countAll<number>().as('started'), of.fn.sum<number | null>('calls').as('calls')])
    .executeTakeFirstOrThrow();
  const ended = await db
    .selectFrom((of) =>
      of
        .selectFrom('tool_session')
        .select(['close_reason', 'close_error_class', 'cleanup_ms'])
        .where('closed_at', '>=', from)
        .orderBy('closed_at', 'desc')
        .limit(MOST_COUNTED)
        .as('newest'),
    )
    .select((of) => [
      'close_reason as reason',
      of.fn.countAll<number>().as('count'),
      of.fn.count<number>('close_error_class').as('failed'),
      of.fn.max('cleanup_ms').as('longest'),
    ])
    .groupBy('close_reason')
    .execute();
  const lost = await readLostToolSessions(db, MOST_LEAKED);
  const longest = Math.max(-1, ...ended.map((row) => Number(row.longest ?? -1)));
  return {
    from: isoTime(from),
    live: Number(open.live),
    hosts: Number(open.hosts),
    leaked: lost.length,
    isMore: Number(begun.started) === MOST_COUNTED || ended.reduce((sum, row) => sum + Number(row.count), 0) === MOST_COUNTED,
    started: Number(begun.started),
    calls: Number(begun.calls ?? 0),
    ended: ended
      .map(({ reason, count, failed }) => ({ reason: reason ?? 'unknown', count: Number(count), failed: Number(failed) }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    ...(longest >= 0 && { longestCleanupMs: longest }),
  };
}
