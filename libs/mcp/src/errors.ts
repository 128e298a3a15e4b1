import { DoorledgerError } from '@doorledger/contracts';

/** The configured tool servers do not fit together: the start is refused (M7). */
export class ToolServersRefusedError extends DoorledgerError {}

/** A tool server could not be opened or listed within its bounds (M5, M7). */
export class ToolServerError extends DoorledgerError {}

/** The call was not sent and is not going to be: `errorClass` is what a fact may say about it. */
export class ToolCallError extends DoorledgerError {
  readonly errorClass: string;

  constructor(code: string, message: string, options?: { cause?: unknown; errorClass?: string }) {
    super(code, message, options);
    this.errorClass = options?.errorClass ?? code;
  }
}

/** A request was refused before anything of it left the host (M13, M14, M17). */
export class RequestRefusedError extends DoorledgerError {}

/** L2: its host may not send it any more. Another dispatch may. */
export const tooOldToSend = (): RequestRefusedError =>
  new RequestRefusedError('ERR_SEND_WINDOW', 'The dispatch of this tool call is too old to be sent.');

/** What a handle that was lost is known by, as well as by its class (M20). */
export const HANDLE_LOST = 'ERR_LOCAL_SESSION_HANDLE_LOST';

/** An error's class as facts may carry it (T41): its code where it has one, else its name; never its text. */
export function classOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const word = typeof code === 'string' ? code : typeof name === 'string' ? name : '';
  return /^[A-Za-z0-9_$]{1,64}$/.test(word) ? word : 'Error';
}
