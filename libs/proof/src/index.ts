export { type PartitionHead } from './checkpoints/checkpoint.js';
export { CheckpointFolder } from './checkpoints/checkpoint-folder.js';
export { Checkpointer } from './checkpoints/checkpointer.js';
export { keyIdOf, loadSigningKey, readPublicKeys } from './checkpoints/signing-key.js';
export { readCheckpoints, type CheckpointsRead } from './verify/read-checkpoints.js';
export { Scratch } from './verify/sqlite-scratch.js';
export { verifyLog, type LogVerified } from './verify/verify-log.js';
export { placeText, type Statement, type Violation, type ViolationPlace } from './verify/violation.js';
