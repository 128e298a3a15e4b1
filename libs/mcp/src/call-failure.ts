import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { CallEnd } from './call-end.js';
import { HANDLE_LOST, RequestRefusedError, ToolServerError, classOf } from './errors.js';
import type { CallReplay } from './requests/call-replay.js';
import type { AnswerLoss } from './requests/request-ledger.js';

/** Why a call was given up before its answer. */
export type CallStop = 'cancelled' | 'timeout' | AnswerLoss;

export interface CallFailure {
  readonly error: unknown;
  readonly stopped: CallStop | undefined;
  readonly replay: CallReplay;
  readonly strict: boolean;
  /** `server.tool` */
  readonly name: string;
  readonly durationMs: number;
}

/**
 * What may be said of a call that has no result (M4): `not-sent` only on proof, `error` only where the server answered to
 * this very call, else `unknown`.
 */
export function endOfFailure(failure: CallFailure): CallEnd {
  const { error, stopped, replay, name, durationMs } = failure;
  if (stopped === 'too-large') return said(failure, 'ERR_TOOL_RESULT_TOO_LARGE', `The result of ${name} is larger than this host takes.`);
  if (!replay.left) return notSent(failure);
  if (stopped === 'cancelled') return { outcome: 'cancelled', durationMs };
  if (stopped === 'timeout') return unknown(failure, 'ERR_TOOL_CALL_TIMEOUT');
  if (stopped === 'stream-ended') return unknown(failure, 'ERR_ANSWER_LOST');
  if (error instanceof ProtocolError && replay.answered)
    return said(failure, 'ProtocolError', `The call of ${name} failed: ${error.message}`);
  if (error instanceof SdkError && replay.answered) return said(failure, errorClassOf(error), `The answer of ${name} could not be read.`);
  if (classOf(error) === SESSIONS_NEEDED) return said(failure, SESSIONS_NEEDED, (error as Error).message);
  return endOfStatus(failure);
}

/** A server that keeps sessions refused a stranger's request (M25). */
const SESSIONS_NEEDED = 'ERR_SERVER_NEEDS_SESSION';

/** What another dispatch mends; anything else that was refused here would be refused again. */
const passingRefusals = new Set(['ERR_CONNECTION_CLOSED', 'ERR_SEND_WINDOW']);

function notSent({ error, stopped, durationMs }: CallFailure): CallEnd {
  if (stopped === 'cancelled') return { outcome: 'not-sent', errorClass: 'Cancelled', mayDispatchAgain: false, durationMs };
  if (stopped === 'timeout') return { outcome: 'not-sent', errorClass: 'ERR_TOOL_CALL_TIMEOUT', mayDispatchAgain: true, durationMs };
  const isRefused = error instanceof RequestRefusedError && !passingRefusals.has(error.code);
  return { outcome: 'not-sent', errorClass: errorClassOf(error), mayDispatchAgain: !isRefused, durationMs };
}

function endOfStatus(failure: CallFailure): CallEnd {
  const { replay, strict, name, durationMs } = failure;
  const status = replay.statuses.at(-1);
  if (status === undefined || replay.tries > replay.statuses.length) return unknown(failure, errorClassOf(failure.error));
  if (status === 429) return said(failure, 'ERR_TOOL_SERVER_BUSY', `The tool server of ${name} is busy (429). Try again later.`);
  if (replay.sessionGone) {
    // The one answer to the one try: the server does not know the session, so the call cannot have reached a tool in it, and may
    // be sent on a new one. After an earlier try, or where an approval stands for one sending (M13), nobody vouches for that.
    const isOnlyAnswer = replay.tries === 1 && !strict;
    return isOnlyAnswer
      ? { outcome: 'not-sent', errorClass: 'ERR_UPSTREAM_SESSION_GONE', mayDispatchAgain: true, durationMs }
      : unknown(failure, 'ERR_UPSTREAM_SESSION_GONE');
  }
  // A server that times out, or a gateway in front of it, may have run the call; any other refusal is the answer to it.
  const isRefusal = status >= 300 && status < 500 && status !== 408;
  return isRefusal
    ? said(failure, `HTTP_${status}`, `The tool server of ${name} refused the call (HTTP ${status}).`)
    : unknown(failure, `HTTP_${status}`);
}

/** For facts: our own codes, the network's (`ECONNREFUSED`), or the class. */
function errorClassOf(error: unknown): string {
  if (error instanceof SdkError) return error.code === SdkErrorCode.ConnectionClosed ? 'ERR_CONNECTION_CLOSED' : classOf(error);
  return error instanceof ToolServerError ? error.code : classOf(error);
}

export const isHandleLost = (end: CallEnd): boolean => end.outcome === 'not-sent' && end.errorClass === HANDLE_LOST;

const said = ({ durationMs }: CallFailure, errorClass: string, text: string): CallEnd => ({
  outcome: 'error',
  text,
  files: [],
  errorClass,
  durationMs,
});
const unknown = ({ durationMs }: CallFailure, errorClass: string): CallEnd => ({ outcome: 'unknown', errorClass, durationMs });
