import type { FactData } from '@doorledger/contracts';
import type { References } from '@doorledger/privacy';
import { Refused } from '../refused.js';
import { failure } from '../wire/terminal.js';

type Fields = Readonly<Record<string, unknown>>;
type Target = FactData<'freeze.set'>['target'];

const MAX_NAME = 200;
const MAX_WHY = 1000;

export const isRef = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value);
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);

const howToFreeze =
  'Send {"target": {"kind", "name"}, "why"} and nothing else. Kind and name are: tool and "server.tool", server and its name, tenant and ' +
  'its name, user and the 32 hex digits of a userRef, or everything without a name. Why is 1 to 1000 characters.';

/** P6: what an operator types, in the names that a public fact may carry. A tenant becomes its reference. @throws Refused 400 */
export function readFreeze(fields: Fields, references: Pick<References, 'tenantRef'>): Pick<FactData<'freeze.set'>, 'target' | 'why'> {
  const { target, why, ...others } = fields;
  const read = isObject(target) ? readTarget(target, references) : undefined;
  if (!read || !isText(why, MAX_WHY) || hasAny(others)) throw invalid(howToFreeze);
  return { target: read, why };
}

/** @throws Refused 400 */
export function readLift({ why, ...others }: Fields): Pick<FactData<'freeze.lifted'>, 'why'> {
  if (hasAny(others) || !(why === undefined || isText(why, MAX_WHY)))
    throw invalid('Send {"why"} of 1 to 1000 characters, or nothing at all.');
  return why === undefined ? {} : { why };
}

export interface Reconciliation {
  readonly verdict: FactData<'tool-call.reconciled'>['verdict'];
  readonly attempt?: number;
  readonly why?: string;
}

/** @throws Refused 400 */
export function readReconciliation({ verdict, attempt, why, ...others }: Fields): Reconciliation {
  const isAttempt = attempt === undefined || (Number.isSafeInteger(attempt) && (attempt as number) >= 1);
  const isWhy = why === undefined || isText(why, MAX_WHY);
  if (hasAny(others) || !isAttempt || !isWhy || !(verdict === 'ran' || verdict === 'did-not-run'))
    throw invalid(
      'Send {"verdict", "attempt", "why"} and nothing else. The verdict is "ran" or "did-not-run"; the attempt is a number from 1, why is 1 to ' +
        '1000 characters, and both may be left out.',
    );
  return { verdict, ...(attempt !== undefined && { attempt: attempt as number }), ...(why !== undefined && { why }) };
}

/** @throws Refused 400 */
export function readNothing(fields: Fields): void {
  if (hasAny(fields)) throw invalid('This call takes no fields: send {} or no body.');
}

function readTarget({ kind, name, ...others }: Fields, references: Pick<References, 'tenantRef'>): Target | undefined {
  if (hasAny(others)) return undefined;
  switch (kind) {
    case 'everything':
      return name === undefined ? { kind } : undefined;
    case 'tool':
      return isText(name, MAX_NAME) && /^[^.].*\../.test(name) ? { kind, name } : undefined;
    case 'server':
      return isText(name, MAX_NAME) ? { kind, name } : undefined;
    case 'user':
      return isRef(name) ? { kind, name } : undefined;
    case 'tenant':
      return isText(name, MAX_WHY) ? { kind, name: references.tenantRef(name) } : undefined;
    default:
      return undefined;
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown, max: number): value is string => typeof value === 'string' && value.trim() !== '' && value.length <= max;
const hasAny = (fields: Fields): boolean => Object.keys(fields).length > 0;
const invalid = (sentence: string): Refused => new Refused(failure('ERR_INVALID_QUERY', sentence));
