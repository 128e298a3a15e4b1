import { DoorledgerError } from '@doorledger/contracts';

/** A list of the guard that nobody can have meant; the start is refused. */
export const guardConfigError = (sentence: string): DoorledgerError => new DoorledgerError('ERR_GUARD_CONFIG', sentence);
