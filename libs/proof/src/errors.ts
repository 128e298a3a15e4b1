import { DoorledgerError } from '@doorledger/contracts';

/** Checkpoints cannot be written, read or signed. Says what to do. */
export class ProofError extends DoorledgerError {}
