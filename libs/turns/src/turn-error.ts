import { DoorledgerError } from '@doorledger/contracts';
import type { IdempotencyKey } from '@doorledger/event-log';

export type TurnErrorCode =
  | 'ERR_CONCURRENT_RUN'
  | 'ERR_AWAITING_DECISION'
  | 'ERR_SESSION_NOT_FOUND'
  | 'ERR_SESSION_BLOCKED'
  | 'ERR_TURN_BOUND'
  | 'ERR_TURN_ABANDONED'
  | 'ERR_NO_PENDING_ASK'
  | 'ERR_PAUSE_NOT_CARRIED'
  | 'ERR_DECISION_REQUIRED'
  | 'ERR_RESUME_REFUSED'
  | 'ERR_ROLE_REQUIRED'
  | 'ERR_FROZEN'
  | 'ERR_HOST_LOST'
  | 'ERR_LOG_UNAVAILABLE'
  | 'ERR_LEDGER_BEHIND';

/** Why a turn did not start or did not finish; `details` stand beside the code in the answer. */
export class TurnError extends DoorledgerError {
  readonly details: Readonly<Record<string, unknown>>;
  /** In place of the status that its code has. */
  readonly status?: number;

  constructor(
    override readonly code: TurnErrorCode,
    message: string,
    { details = {}, status, cause }: { details?: Record<string, unknown>; status?: number; cause?: unknown } = {},
  ) {
    super(code, message, { cause });
    this.details = details;
    if (status !== undefined) this.status = status;
  }
}

/** The session remembers the caller's idempotency key: the answer is the one of the turn that had it first (D18). */
export class RememberedKeyError extends Error {
  constructor(readonly remembered: IdempotencyKey) {
    super('The idempotency key was used before.');
  }
}

/** L21: a bound of a turn was reached; `bound` in the answer says which. */
export const turnBound = (bound: string, message: string): TurnError => new TurnError('ERR_TURN_BOUND', message, { details: { bound } });
