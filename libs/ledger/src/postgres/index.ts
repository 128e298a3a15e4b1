export type { PostgresAddress, PostgresTls } from './address.js';
export { PostgresGenerations } from './generations.js';
export { openPostgresPool, type PoolOptions } from './pool.js';
export { reached } from './reached.js';
