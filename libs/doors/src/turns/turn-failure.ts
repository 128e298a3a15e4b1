import { AgentError } from '@doorledger/agent';
import { DoorledgerError } from '@doorledger/contracts';
import { AppendRefusedError, ClaimUnknownError } from '@doorledger/event-log';
import { TurnError, classOf } from '@doorledger/turns';
import { isDoorErrorCode } from '../wire/error-table.js';
import { failure, named, unexpected, type Failure } from '../wire/terminal.js';

/** What a turn ended by, with the turn it was. */
export class TurnFailure extends Error {
  constructor(
    readonly turnId: string,
    override readonly cause: unknown,
  ) {
    super('A turn failed.');
  }
}

/** The claim was refused: no turn came to be, so none is named. */
const noTurn = new Set([
  'ERR_CONCURRENT_RUN',
  'ERR_AWAITING_DECISION',
  'ERR_SESSION_NOT_FOUND',
  'ERR_SESSION_BLOCKED',
  'ERR_NO_PENDING_ASK',
  'ERR_LEDGER_BEHIND',
]);

/** A cause that passes, of which nothing became durable: not one that lies in what was sent. */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof DoorledgerError &&
  (error.code === 'ERR_DISK_FULL' || (error instanceof AppendRefusedError && error.code !== 'ERR_RECORD_TOO_LARGE'));

/** How a request ends that threw (D20, D22). `report` is told of every error that is not ours, and gives its reference. */
export function terminalOf(thrown: unknown, report: (error: unknown) => string): Failure {
  const { turnId, error } =
    thrown instanceof TurnFailure ? { turnId: thrown.turnId, error: thrown.cause } : { turnId: undefined, error: thrown };
  const errorName = classOf(error);
  const ofTurn = turnId !== undefined && { turnId };
  if (error instanceof TurnError)
    return {
      ...failure(error.code, error.message, { ...(!noTurn.has(error.code) && ofTurn), details: error.details, errorName }),
      ...(error.status !== undefined && { status: error.status }),
    };
  if (error instanceof ClaimUnknownError || isOutOfReach(error))
    return failure('ERR_LOG_UNAVAILABLE', 'The log takes no facts right now.', { ...ofTurn, errorName });
  if (error instanceof AgentError && isDoorErrorCode(error.code)) return failure(error.code, error.message, { ...ofTurn, errorName });
  // A cursor that the ledger did not give (O6) is a caller's mistake.
  if (error instanceof DoorledgerError && error.code === 'ERR_INVALID_QUERY') return failure(error.code, error.message);
  if (error instanceof DoorledgerError && error.code === 'ERR_DATABASE_AWAY')
    return failure('ERR_LEDGER_BEHIND', 'The ledger does not answer right now. Try again soon.', { ...ofTurn, errorName });
  const reference = report(error);
  if (error instanceof DoorledgerError) return named(error, reference, turnId);
  return unexpected(reference, errorName, turnId);
}
