export { LedgerError } from './errors.js';
export { ledgerReader } from './ledger-reader.js';
export { Projector, type ProjectorHealth, type ProjectorOptions } from './projector.js';
export type { LedgerPositions, LedgerReader, OpenRun, SessionSnapshot, StandingContent } from './reader.js';
export type { LedgerTables, Row, TableName } from './schema/index.js';
export { openSqliteLedger } from './sqlite/sqlite-store.js';
export type { LedgerCommit, LedgerStore } from './store.js';
