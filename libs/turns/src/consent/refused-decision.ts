import type { Refusal } from '@doorledger/consent';
import { TurnError } from '../turn-error.js';

const sentences: Readonly<Record<string, string>> = {
  'no-request': 'The decision quotes no request: send {"decision": {"requestId": "…", "approved": true}}.',
  'request-not-recorded': 'What this session waits for cannot be read any more, so the request was closed.',
  'other-request': 'This decision quotes another request than the one that waits.',
  'call-changed': 'The stored call is not the one that was asked about, so the request was closed.',
  'tool-changed': 'The tool is not the one that was asked about any more.',
  'chain-changed': 'The rules are not the ones that asked any more.',
  'ledger-changed': 'This request was made under another log.',
  expired: 'It is too late to decide on this request.',
  'already-answered': 'This request was answered before.',
  'closed-by-host': 'This request was closed before it was answered.',
};

/** What the sender of a decision hears that is not held (spec 2). */
export function refusedAs({ code, http, reason, standing }: Refusal): TurnError {
  if (code === 'ERR_DECISION_REQUIRED')
    return new TurnError(
      code,
      'This is no decision: send {"decision": {"requestId": "…", "approved": true or false}}, with note, value or changes and no other field.',
    );
  return new TurnError(code, sentences[reason]!, { details: { reason, ...(standing !== undefined && { standing }) }, status: http });
}
