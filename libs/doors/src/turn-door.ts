import { DoorledgerError } from '@doorledger/contracts';
import { referenceId } from '@doorledger/observability';
import { AppendRefusedError } from '@doorledger/event-log';
import { TurnError, classOf, newTurnId, type TurnRunner } from '@doorledger/turns';
import { failure, named, unexpected, type Terminal } from './wire/terminal.js';
import type { TurnRequest } from './wire/turn-request.js';

export interface TurnDoorOptions {
  readonly runner: Pick<TurnRunner, 'run'>;
  readonly sessionRef: (sessionId: string) => string;
  /** Told of every error that is not ours, with the reference that the caller was given (D22). */
  readonly onUnexpected: (error: unknown, reference: string) => void;
}

/** The claim was refused: no turn came to be, so none is named. */
const noTurn = new Set([
  'ERR_CONCURRENT_RUN',
  'ERR_AWAITING_DECISION',
  'ERR_SESSION_NOT_FOUND',
  'ERR_SESSION_BLOCKED',
  'ERR_LEDGER_BEHIND',
]);

/** Runs a turn to its terminal. Never throws (D20). */
export async function turnDoor(request: TurnRequest, signal: AbortSignal, options: TurnDoorOptions): Promise<Terminal> {
  const turnId = newTurnId();
  const { input, sessionId } = request;
  const session = sessionId === undefined ? undefined : { ref: options.sessionRef(sessionId), id: sessionId };
  try {
    const { output, position } = await options.runner.run({ turnId, input, session, signal });
    return { kind: 'complete', output, turnId, position: `${position.topic}:${position.partition}:${position.offset}` };
  } catch (error) {
    if (error instanceof TurnError) {
      const named = noTurn.has(error.code) ? {} : { turnId };
      return failure(error.code, error.message, { ...named, details: error.details, errorName: error.name });
    }
    if (isOutOfReach(error))
      return failure('ERR_LOG_UNAVAILABLE', 'The log takes no facts right now.', { turnId, errorName: classOf(error) });
    const reference = referenceId();
    // A caller that hung up is no fault of ours, and may do so as often as it likes.
    if (!(signal.aborted && classOf(error) === 'AbortError')) options.onUnexpected(error, reference);
    if (error instanceof DoorledgerError) return named(error, reference, turnId);
    return unexpected(reference, classOf(error), turnId);
  }
}

/** Nothing of the turn could be made durable, for a cause that passes: not for what is in it. */
const isOutOfReach = (error: unknown): boolean =>
  error instanceof DoorledgerError &&
  (error.code === 'ERR_DISK_FULL' || (error instanceof AppendRefusedError && error.code !== 'ERR_RECORD_TOO_LARGE'));
