import { DoorledgerError } from '@doorledger/contracts';

/** What a log line tells of an error: never the text of one that is not ours, for it may quote a person, a token or an argument (D22). */
export interface ErrorLine {
  readonly class: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack?: readonly string[];
  readonly cause?: ErrorLine;
}

const CLASS = /^[A-Za-z0-9_$]{1,64}$/;
const CODE = /^[A-Za-z0-9_]{1,64}$/;
const DEPTH = 4;

/** `frames`: whether the stack's frames are told too (log level debug). */
export function errorLine(error: unknown, frames: boolean, depth = DEPTH): ErrorLine {
  if (!(error instanceof Error)) return { class: typeof error };
  const code = (error as { code?: unknown }).code;
  return {
    class: CLASS.test(error.name) ? error.name : 'Error',
    ...(typeof code === 'string' && CODE.test(code) && { code }),
    ...(error instanceof DoorledgerError && { message: error.message }),
    ...(frames && { stack: framesOf(error) }),
    ...(error.cause !== undefined && depth > 1 && { cause: errorLine(error.cause, frames, depth - 1) }),
  };
}

/** The frames alone. A stack begins with the message, and a message may have lines that look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const at = stack.indexOf(message);
  if (at < 0) return [];
  return stack
    .slice(at + message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
}

/** A sentence for the line of an error that was logged without one. */
export const sentenceOf = (error: unknown): string => (error instanceof DoorledgerError ? error.message : 'Something unexpected failed.');
