import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { ToolServerError, classOf } from './errors.js';

const MAX_CAUSES = 4;

/** A server could not be opened within its bound. Its own words go nowhere: they may hold anything (M6). */
export class ToolServerUnreachableError extends ToolServerError {
  constructor(
    message: string,
    /** It ended at a question that servers of before 2026-07-28 do not know. */
    readonly isOldServer: boolean,
  ) {
    super('ERR_TOOL_SERVER_UNREACHABLE', message);
  }
}

/** The far side does not know the session any more: as good as closed (S6). */
export const isGone = (error: unknown): boolean => error instanceof SdkHttpError && error.status === 404;

export function isOldServer(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}

/** Why a server could not be used, in one word for a person: the HTTP status, the network's code, or the error's class. */
export function reasonOf(error: unknown): string {
  let cause = error;
  for (let n = 0; n < MAX_CAUSES && cause instanceof Error; n++) {
    if (cause instanceof SdkHttpError) return `HTTP ${cause.status}`;
    if (/^E[A-Z]+$/.test(classOf(cause))) return classOf(cause);
    cause = cause.cause;
  }
  return classOf(error) === 'Error' ? 'no answer' : classOf(error);
}
