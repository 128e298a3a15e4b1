import type { ArtifactNote } from '@doorledger/agent';
import type { DoorledgerError } from '@doorledger/contracts';
import type { PendingAsk } from '@doorledger/turns';
import { DoorErrorCodes, type DoorErrorCode } from './error-table.js';

/** How a request ends, at whatever door: exactly one each. */
export type Terminal =
  | {
      readonly kind: 'complete';
      readonly output: string;
      /** Files that its tools handed over (H2): asked for by `artifact-get`. */
      readonly artifacts?: readonly ArtifactNote[];
      readonly turnId: string;
      /** Absent for a turn that had ended before. */ readonly position?: string;
    }
  /** The turn waits for a person (N18). */
  | { readonly kind: 'awaiting'; readonly status: 202; readonly ask: PendingAsk; readonly turnId: string; readonly position?: string }
  /** The answer of a session op: `{sessions, cursor?}`, `{transcript}` or `{closed}`. */
  | { readonly kind: 'sessions'; readonly body: object; readonly turnId?: undefined }
  /** The answer of an artifact op: `{artifact: {ref, meta, data?}}`, `data` in base64. */
  | { readonly kind: 'artifact'; readonly body: object; readonly turnId?: undefined }
  /** The answer of an API. */
  | { readonly kind: 'api'; readonly status: 200 | 201 | 202; readonly body: object; readonly turnId?: undefined }
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

export type Failure = Extract<Terminal, { kind: 'fail' }>;

/** A refusal or failure of ours, by its row of the error table. */
export function failure(
  code: DoorErrorCode,
  error: string,
  more: Partial<Pick<Failure, 'turnId' | 'details' | 'errorName' | 'headers'>> = {},
): Failure {
  const { status, headers } = DoorErrorCodes[code] as { status: number; headers?: Record<string, string> };
  const { headers: own, ...rest } = more;
  return { kind: 'fail', code, status, error, ...((headers || own) && { headers: { ...headers, ...own } }), ...rest };
}

/** A refusal the spec gives no code: unparseable bodies, unknown routes. */
export const uncoded = (status: number, error: string): Failure => ({ kind: 'fail', status, error });

/** D22: an error that is not ours is answered with one fixed sentence and a reference found in the log lines. */
export const unexpected = (reference: string, errorName: string, turnId?: string): Failure => ({
  kind: 'fail',
  status: 500,
  error: `The request failed. Reference ${reference}.`,
  errorName,
  details: { reference },
  ...(turnId && { turnId }),
});

/** D22, O4: an error of ours that no row of the table names keeps its code and its sentence. */
export const named = ({ code, message, name }: DoorledgerError, reference: string, turnId?: string): Failure => ({
  kind: 'fail',
  status: 500,
  error: message,
  code,
  errorName: name,
  details: { reference },
  ...(turnId && { turnId }),
});

export function bodyOf(terminal: Terminal): object {
  if (terminal.kind === 'awaiting') return { awaiting: terminal.ask };
  if (terminal.kind === 'complete') {
    const { output, artifacts } = terminal;
    return artifacts ? { output, artifacts } : { output };
  }
  if (terminal.kind !== 'fail') return terminal.body;
  const { error, code, details, turnId } = terminal;
  return { error, ...(code && { code }), ...details, ...(turnId && { turnId }) };
}

/** D23: the name of a terminal's frame. */
export const eventOf = (terminal: Terminal): string => (terminal.kind === 'fail' ? 'error' : terminal.kind);
