import { sql, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { LedgerTables } from '../schema/index.js';

/** Whose rows are asked for: a few sessions, those of one person (userRef), or those of one tenant (tenantRef). */
export interface Whose {
  /** Keys of the session topic, any of them. */
  readonly sessions?: readonly string[];
  readonly owner?: string;
  readonly tenant?: string;
}

/**
 * Whether a column says this. Where it is known whose rows are asked for, they are found by that and by nothing else: no engine shall walk
 * everybody's rows of a server to find one person's.
 */
export function says(column: string, value: string, { sessions, owner, tenant }: Whose): RawBuilder<SqlBool> {
  const of = sql.ref(column);
  const isAnybodys = sessions === undefined && owner === undefined && tenant === undefined;
  return isAnybodys ? sql<SqlBool>`${of} = ${value}` : sql<SqlBool>`coalesce(${of}, '') = ${value}`;
}

/** Keys of a person's sessions, and of their turns without one: a subquery. */
export const keysOfOwner = (db: Kysely<LedgerTables>, owner: string) =>
  db.selectFrom('session').select('session_key').where('owner', '=', owner);

/** Keys of a tenant's sessions, and of its turns without one: a subquery. */
export const keysOfTenant = (db: Kysely<LedgerTables>, tenant: string) =>
  db.selectFrom('session').select('session_key').where('tenant_ref', '=', tenant);
