import type { Kysely } from 'kysely';
import type { LedgerTables, Row } from '../schema/index.js';
import { isoTime } from './iso-time.js';
import type { Whose } from './narrowed.js';
import { DEFAULT_PAGE, afterCursor, pageOf, type Page, type PageOrder, type PageRequest } from './page.js';
import { present } from './present.js';

/** An ingress record as spec 5 has it: absent facts are absent keys. */
export interface IngressItem {
  readonly at: string;
  readonly door: string;
  readonly outcome: string;
  readonly bearerPresent: boolean;
  readonly durationMs: number;
  readonly hostId: string;
  readonly bootId: string;
  /** Its place in its host's count; not told of one tenant's records, for it counts everybody's. */
  readonly seq?: number;
  readonly op?: string;
  readonly errorCode?: string;
  readonly errorName?: string;
  readonly identityFailure?: string;
  readonly claimedUser?: true;
  readonly userRef?: string;
  readonly tenantRef?: string;
  readonly sessionRef?: string;
  readonly admission?: string;
  readonly turnArtifactsFailure?: string;
  readonly source?: 'external';
  readonly turnId?: string;
}

const newestFirst: PageOrder<Pick<Row<'ingress'>, 'at' | 'partition' | 'offset'>> = {
  columns: ['at', 'partition', 'offset'],
  direction: 'desc',
};

/** How the doors answered, newest first by the doors' clocks; of a few sessions (their references), and of the people of one tenant (tenantRef). */
export async function listIngress(
  db: Kysely<LedgerTables>,
  { limit = DEFAULT_PAGE, cursor }: PageRequest,
  { sessions, tenant }: Pick<Whose, 'sessions' | 'tenant'> = {},
): Promise<Page<IngressItem>> {
  let query = db
    .selectFrom('ingress')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('partition', 'desc')
    .orderBy('offset', 'desc')
    .limit(limit + 1);
  if (sessions !== undefined) query = query.where('session_key', 'in', sessions);
  if (tenant !== undefined) query = query.where('tenant_ref', '=', tenant);
  if (cursor !== undefined) query = query.where(afterCursor(newestFirst, cursor));
  return pageOf(await query.execute(), limit, newestFirst, (row) => ({
    ...ingressItem(row),
    ...(tenant === undefined && { seq: row.seq }),
  }));
}

const ingressItem = (row: Row<'ingress'>): IngressItem => ({
  at: isoTime(row.at),
  door: row.door,
  outcome: row.outcome,
  bearerPresent: row.bearer_present === 1,
  durationMs: row.duration_ms,
  hostId: row.host_id,
  bootId: row.boot_id,
  ...present({
    op: row.op,
    errorCode: row.error_code,
    errorName: row.error_name,
    identityFailure: row.identity_failure,
    userRef: row.user_ref,
    tenantRef: row.tenant_ref,
    sessionRef: row.session_key,
    admission: row.admission,
    turnArtifactsFailure: row.turn_artifacts_failure,
    turnId: row.turn_id,
  }),
  ...(row.claimed_user === 1 && { claimedUser: true }),
  ...(row.external === 1 && { source: 'external' }),
});
