export { openPostgresKeyStore, type PostgresKeyStoreOptions } from './postgres-key-store.js';
