import { DoorledgerError } from '@doorledger/contracts';

/** The ledger cannot be what it has to be; the message says what mends it. */
export class LedgerError extends DoorledgerError {}
