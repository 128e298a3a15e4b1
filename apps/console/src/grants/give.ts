import { ask, now } from '../data/http.js';
import { isExact, patternOf, type GrantDraft, type Looseness } from '../words/grant.js';

export interface Given {
  readonly grantId: string;
  readonly looseness?: Looseness;
}

/** Gives a grant for calls like the one that waits (N52). @throws Refusal */
export function giveGrant(requestId: string, args: Readonly<Record<string, unknown>>, draft: GrantDraft): Promise<Given> {
  const { choices, count, period } = draft;
  const until = new Date(now() + period).toISOString();
  const pattern = isExact(args, choices) ? {} : { pattern: patternOf(args, choices) };
  return ask<Given>('/v1/grants', { method: 'POST', body: JSON.stringify({ requestId, ...pattern, count: Number(count), until }) });
}
