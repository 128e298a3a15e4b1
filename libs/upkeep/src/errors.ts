import { DoorledgerError } from '@doorledger/contracts';

/** An operator's work on the records could not be done; the sentence says what to do. */
export class UpkeepError extends DoorledgerError {}
