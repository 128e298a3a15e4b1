import { useRef } from 'preact/hooks';
import type { Grant } from '../data/types.js';
import { useAnswer, type Answer } from '../data/use-answer.js';

export interface StandingGrants extends Answer<{ readonly items: readonly Grant[] }> {
  /** Those that this page has shown, also when they are over by now. */
  readonly met: ReadonlyMap<string, Grant>;
}

/** Grants in force: one's own and those one gave, and for operators all. */
export function useGrants(isShown: boolean): StandingGrants {
  const answer = useAnswer<{ readonly items: readonly Grant[] }>(isShown ? '/v1/grants' : undefined, {
    on: ['grant.'],
    everyMs: 5000,
    takesAt: false,
  });
  const met = useRef(new Map<string, Grant>());
  for (const grant of answer.data?.items ?? []) met.current.set(grant.grantId, grant);
  return { ...answer, met: met.current };
}
