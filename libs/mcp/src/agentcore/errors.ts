import { DoorledgerError } from '@doorledger/contracts';
import { HANDLE_LOST, ToolServerError } from '../errors.js';

/**
 * This process no longer knows the session that a handle stood for, so nothing was sent (M20). It is not a 404: the far side was not
 * asked, may still run, and can no longer be stopped from here (M23).
 */
export class LocalSessionHandleLostError extends DoorledgerError {
  readonly evidence = 'transport-forgot-handle';
  readonly remote = 'unknown';

  constructor() {
    super(HANDLE_LOST, 'The session with the tool server is not known here any more. Nothing was sent; call again to open a new one.');
  }
}

/** The server keeps sessions, and under `per-call` every request is a stranger's (M25). It refused the request, so it did not run. */
export class SessionsNeededError extends ToolServerError {
  constructor() {
    super(
      'ERR_SERVER_NEEDS_SESSION',
      'The tool server keeps sessions and answered as to a stranger: under the strategy per-call every request is a new one. Set its strategy to reuse.',
    );
  }
}

/** Settings of an AgentCore server that no connection can be made with (M22). */
export class AgentCoreSettingsError extends DoorledgerError {}
