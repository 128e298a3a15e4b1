import type { DoorledgerError } from '@doorledger/contracts';
import { DoorErrorCodes, type DoorErrorCode } from './error-table.js';

/** How a request ended. Exactly one per request; what comes after it is ignored (spec 1). */
export type Terminal =
  | { readonly kind: 'complete'; readonly output: string; readonly turnId: string; readonly position: string }
  | {
      readonly kind: 'fail';
      readonly status: number;
      readonly error: string;
      readonly code?: string;
      /** The error's class, for the record; never its text. */
      readonly errorName?: string;
      /** Fields that stand beside `error` and `code`. */
      readonly details?: Readonly<Record<string, unknown>>;
      readonly turnId?: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** A refusal or failure of ours, by its row of the error table. */
export function failure(
  code: DoorErrorCode,
  error: string,
  more: { turnId?: string; details?: Readonly<Record<string, unknown>>; errorName?: string } = {},
): Terminal {
  const { status, headers } = DoorErrorCodes[code] as { status: number; headers?: Record<string, string> };
  return { kind: 'fail', code, status, error, ...(headers && { headers }), ...more };
}

/** A refusal the spec gives no code: unparseable bodies, unknown routes. */
export const uncoded = (status: number, error: string): Terminal => ({ kind: 'fail', status, error });

/** D22: an error that is not ours is answered with one fixed sentence and a reference found in the log lines. */
export const unexpected = (reference: string, errorName: string, turnId?: string): Terminal => ({
  kind: 'fail',
  status: 500,
  error: `The request failed. Reference ${reference}.`,
  errorName,
  details: { reference },
  ...(turnId && { turnId }),
});

/** D22, O4: an error of ours that no row of the table names keeps its code and its sentence. */
export const named = ({ code, message, name }: DoorledgerError, reference: string, turnId: string): Terminal => ({
  kind: 'fail',
  status: 500,
  error: message,
  code,
  errorName: name,
  details: { reference },
  turnId,
});

export const bodyOf = (terminal: Terminal): object =>
  terminal.kind === 'complete'
    ? { output: terminal.output }
    : {
        error: terminal.error,
        ...(terminal.code && { code: terminal.code }),
        ...terminal.details,
        ...(terminal.turnId && { turnId: terminal.turnId }),
      };
