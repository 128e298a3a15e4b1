import { FOLD_VERSION } from '@doorledger/event-log';
import * as ofDecisions from './decision-table.js';
import * as ofGrants from './grant-tables.js';
import * as others from './other-tables.js';
import * as ofSessions from './session-tables.js';
import type { ChangeOf, RowOf } from './table.js';

/** The tables of one generation, in the order the digest reads them. */
export const tables = { ...ofSessions, ...others, ...ofGrants, ...ofDecisions };

export type TableName = keyof typeof tables;
/** The rows of every table, as Kysely wants them. */
export type LedgerTables = { [T in TableName]: RowOf<(typeof tables)[T]> };
export type Row<T extends TableName> = RowOf<(typeof tables)[T]>;
export type Change<T extends TableName> = ChangeOf<(typeof tables)[T]>;

/** Counts up with any change to `tables` or to what projections write there. */
const SCHEMA_VERSION = 12;

/** Rows are made by this schema and this fold: a ledger of another format is built anew, never migrated (design §5). */
export const LEDGER_FORMAT = SCHEMA_VERSION * 1000 + FOLD_VERSION;
