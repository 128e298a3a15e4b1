import { failure, type Failure } from './wire/terminal.js';

/** Ends a request from inside the work it asked for. */
export class Refused extends Error {
  constructor(readonly terminal: Failure) {
    super(terminal.error);
  }
}

/** O3: one text for missing, foreign, ownerless and closed. */
export const noSuchSession = (): Refused => new Refused(failure('ERR_SESSION_NOT_FOUND', 'There is no such session.'));
