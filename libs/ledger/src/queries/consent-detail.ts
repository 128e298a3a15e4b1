import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { consentItem, withCalls, type ConsentItem, type ConsentRow } from './consent-item.js';
import type { ConsentSight } from './consents.js';
import { isoTime } from './iso-time.js';
import { present } from './present.js';

/** A vote or a spend that was tried on a request; what does not stand stays visible. */
export interface ConsentAttempt {
  readonly kind: 'voted' | 'spent';
  readonly verdict?: string;
  /** userRef */
  readonly by?: string;
  readonly stands: boolean;
  readonly voidReason?: string;
  readonly at: string;
  /** Its place on the session topic. */
  readonly partition: number;
  readonly offset: number;
}

export interface ConsentDetail extends ConsentItem {
  /** In the order of the log, the first thousand of them. */
  readonly attempts: readonly ConsentAttempt[];
}

/** Standing votes are at most 64 (spec 6); what is void is bounded by this alone. */
const MAX_ATTEMPTS = 1000;

/** A request with everything that was tried on it. Undefined where there is none, or it is not for who asks. */
export async function readConsent(db: Kysely<LedgerTables>, requestId: string, sight?: ConsentSight): Promise<ConsentDetail | undefined> {
  const rows = db.selectFrom('consent').selectAll().where('request_id', '=', requestId).where('status', 'is not', null);
  const row = await withCalls(db, rows).orderBy('c.session_key').executeTakeFirst();
  if (!row) return undefined;
  const attempts = await db
    .selectFrom('consent_attempt')
    .selectAll()
    .where('request_id', '=', requestId)
    .where('session_key', '=', row.session_key)
    .orderBy('partition')
    .orderBy('offset')
    .limit(MAX_ATTEMPTS)
    .execute();
  if (sight && !isSeen(row, attempts, sight)) return undefined;
  return { ...consentItem(row), attempts: attempts.map(attemptOf) };
}

/** A tenant's own; the party's own, what waits for its deciders, and what somebody had a say in themselves. */
function isSeen(row: ConsentRow, attempts: readonly Row<'consent_attempt'>[], sight: ConsentSight): boolean {
  if ('tenant' in sight) return row.tenant_ref === sight.tenant;
  const { party, decidesIn } = sight;
  if (row.party_ref === party) return true;
  if (!decidesIn) return false;
  return attempts.some(({ by }) => by === party) || (row.status === 'pending' && row.tenant_ref === decidesIn.tenantRef);
}

const attemptOf = (row: Row<'consent_attempt'>): ConsentAttempt => ({
  kind: row.kind as ConsentAttempt['kind'],
  stands: row.stands === 1,
  at: isoTime(row.at),
  partition: row.partition,
  offset: row.offset,
  ...present({ verdict: row.verdict, by: row.by, voidReason: row.void_reason }),
});
