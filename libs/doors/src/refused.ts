import { failure, type Failure } from './wire/terminal.js';

/** Ends a request from inside the work it asked for. */
export class Refused extends Error {
  readonly terminal: Failure;

  constructor(terminal: Failure) {
    // It is an answer and no fault: nobody reads where it was made, and a flood of them is answered from here.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(terminal.error);
    Error.stackTraceLimit = stackTraceLimit;
    this.terminal = terminal;
  }
}

/** O3: one text for missing, foreign, ownerless and closed. */
export const noSuchSession = (): Refused => new Refused(failure('ERR_SESSION_NOT_FOUND', 'There is no such session.'));
