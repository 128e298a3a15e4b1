import { refusal } from './claim-session.js';
import { TurnError } from './turn-error.js';

/** A record of the run was void: somebody else ended it, or it went past its lease. */
export class LostRunError extends Error {
  constructor() {
    super('The run does not stand any more.');
  }
}

/** What the caller hears when somebody else ended the run. */
export function lostRun(how: string): TurnError {
  if (how === 'closed') return refusal('closed');
  return new TurnError('ERR_TURN_ABANDONED', 'This host lost the session before the turn had ended.');
}
