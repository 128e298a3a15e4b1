export { UpkeepError } from './errors.js';
export { erase, type ErasureReceipt } from './erasure.js';
export { readErasure, type ErasureTarget } from './erasure-target.js';
export { hasReadAll } from './ledger-reach.js';
export { isOperation, operations, type OperationName, type UpkeepParts } from './operations.js';
