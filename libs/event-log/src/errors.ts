import { DoorledgerError } from '@doorledger/contracts';

/** Nothing of the append is on the log, and nothing ever will be (K4): too large, unknown topic, closed, never connected. */
export class AppendRefusedError extends DoorledgerError {}

/** Nobody knows whether the append is on the log (K4). Append the same event ids again. */
export class AppendIndefiniteError extends DoorledgerError {}

/** The log is not the one it should be, or not whole: start is refused, or reading stops (K6, K8, K12). */
export class LogRefusedError extends DoorledgerError {}
