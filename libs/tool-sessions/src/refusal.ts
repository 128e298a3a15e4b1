import { DoorledgerError } from '@doorledger/contracts';
import { scopes, type Scope } from './call-context.js';

export type RefusalCode =
  | 'ERR_TOOL_SESSION_KEY'
  | 'ERR_TOOL_SESSION_SCOPE'
  | 'ERR_TOOL_SESSION_ENDED'
  | 'ERR_TOOL_SESSION_LATE'
  | 'ERR_TOOL_SESSIONS_FULL'
  | 'ERR_TOOL_SESSIONS_CLOSED';

/** Why no tool session was given out: the call fails by this name, and nothing was started for it. */
export interface Refusal {
  readonly outcome: 'refused';
  readonly code: RefusalCode;
  readonly sentence: string;
}

const refusal = (code: RefusalCode, sentence: string): Refusal => ({ outcome: 'refused', code, sentence });

const missing: Readonly<Record<Scope, string>> = {
  session: 'a session id',
  run: 'a run id',
  call: 'a call id',
  shutdown: 'a key of its own',
};

export const noKey = (scope: Scope): Refusal =>
  refusal(
    'ERR_TOOL_SESSION_KEY',
    `A tool of scope "${scope}" needs ${missing[scope]}, and this call has none. Give it one, or another scope to the tool.`,
  );
export const unreadableKey = refusal('ERR_TOOL_SESSION_KEY', 'What a tool session is keyed by must be text.');
export const unknownScope = refusal('ERR_TOOL_SESSION_SCOPE', `A tool session has one of these scopes: ${scopes.join(', ')}.`);
export const endedMeanwhile = refusal(
  'ERR_TOOL_SESSION_ENDED',
  'The tool session was ended while it was being opened. Call again if the conversation goes on.',
);
export const settledCall = refusal('ERR_TOOL_SESSION_LATE', 'The tool call is over: what it opens now would be closed by nobody.');
export const tierFull = refusal(
  'ERR_TOOL_SESSIONS_FULL',
  'Every tool session of this host has a call in flight, and no more may be open. Call again later.',
);
export const personFull = refusal(
  'ERR_TOOL_SESSIONS_FULL',
  'Every tool session of this person has a call in flight, and no more may be open at once. Call again later.',
);
export const tierClosed = refusal('ERR_TOOL_SESSIONS_CLOSED', 'This host is shutting down and opens no tool session any more.');

/** A refusal as the tool in the host meets it (T6). */
export class ToolSessionRefusedError extends DoorledgerError {
  constructor({ code, sentence }: Refusal) {
    super(code, sentence);
  }
}
