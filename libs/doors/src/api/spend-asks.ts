import { randomUUID } from 'node:crypto';
import { isQueryText } from '@doorledger/access';
import { Refused } from '../refused.js';
import { failure } from '../wire/terminal.js';
import { isUuid } from './operator-asks.js';

/** What a service asks to spend (N40). */
export interface SpendAsk {
  readonly id: string;
  readonly claimId: string;
}

const MAX_CHARACTERS = 400;
const how =
  'Send {"id", "claimId"} and nothing else. The id is a text of 1 to 400 characters; the claimId a UUID in lower case, or left out by who will ' +
  'not ask again.';

/** @throws Refused 400 */
export function readSpend({ id, claimId = randomUUID(), ...others }: Readonly<Record<string, unknown>>): SpendAsk {
  if (Object.keys(others).length > 0 || !isUuid(claimId)) throw invalid(how);
  return { id: readDecisionId(id), claimId };
}

/** `?id=`, for ids that no path can hold (`.`, `..`). `url`: the text that `query` was read from. @throws Refused 400 */
export function readSpentQuery(query: unknown, url: string): string {
  if (!isQueryText(url)) throw invalid('What stands behind the "?" is not UTF-8 in percent-encoding.');
  const { id, ...others } = query as Readonly<Record<string, unknown>>;
  if (Object.keys(others).length > 0) throw invalid('Ask with ?id= and nothing else.');
  return readDecisionId(id);
}

/** Any text; half a surrogate pair is none, and the log would write another id down for it. @throws Refused 400 */
export function readDecisionId(id: unknown): string {
  const isId = typeof id === 'string' && id !== '' && [...id].length <= MAX_CHARACTERS && Buffer.from(id).toString() === id;
  if (!isId) throw invalid(how);
  return id;
}

const invalid = (sentence: string): Refused => new Refused(failure('ERR_INVALID_QUERY', sentence));
