import { Refused } from '../refused.js';
import { failure } from '../wire/terminal.js';
import { isUuid } from './operator-asks.js';

type Fields = Readonly<Record<string, unknown>>;

/** How long, and how often: at least one of the two. `until`: epoch ms. */
export interface GrantBounds {
  readonly until?: number;
  readonly count?: number;
}

/** N52: what somebody asks to have remembered. */
export type GrantAsk = GrantBounds &
  (
    | { readonly requestId: string; readonly pattern?: unknown }
    /** `user`: the subject of somebody else in the grantor's issuer and tenant. */
    | { readonly server: string; readonly tool: string; readonly pattern: unknown; readonly user?: string }
  );

const MAX_NAME = 200;
const MAX_COUNT = 1000;
const YEAR_MS = 366 * 24 * 3600 * 1000;

const how =
  'Send {"requestId"} of a call that waits, or {"server", "tool", "pattern"}, with "until" (a time within a year), "count" (1 to 1000) or both, ' +
  'and nothing else but "pattern" beside a requestId, or "user" for somebody else.';

/** @param now epoch ms. @throws Refused 400 */
export function readGrant(fields: Fields, now: number): GrantAsk {
  const { requestId, server, tool, pattern, user, until, count, ...others } = fields;
  if (Object.keys(others).length > 0 || (until === undefined && count === undefined)) throw invalid(how);
  const bounds = { ...readUntil(until, now), ...readCount(count) };
  if (requestId !== undefined) {
    if (!isRequestId(requestId) || [server, tool, user].some((field) => field !== undefined)) throw invalid(how);
    return { requestId, ...(pattern !== undefined && { pattern }), ...bounds };
  }
  if (!isName(server) || !isName(tool) || pattern === undefined || !(user === undefined || isName(user))) throw invalid(how);
  return { server, tool, pattern, ...(user !== undefined && { user }), ...bounds };
}

/** @throws Refused 404 */
export function readGrantId(grantId: string): string {
  if (!isUuid(grantId)) throw noSuchGrant();
  return grantId;
}

export const noSuchGrant = (): Refused => new Refused(failure('ERR_NOT_FOUND', 'There is no such grant.'));

function readUntil(until: unknown, now: number): { until?: number } {
  if (until === undefined) return {};
  const at = typeof until === 'string' ? Date.parse(until) : until;
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at <= now || at > now + YEAR_MS)
    throw invalid('"until" is a time within a year from now: RFC 3339, or milliseconds since 1970.');
  return { until: at };
}

function readCount(count: unknown): { count?: number } {
  if (count === undefined) return {};
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_COUNT)
    throw invalid(`"count" is a whole number from 1 to ${MAX_COUNT}.`);
  return { count };
}

const isRequestId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= MAX_NAME;
const invalid = (sentence: string): Refused => new Refused(failure('ERR_INVALID_QUERY', sentence));
