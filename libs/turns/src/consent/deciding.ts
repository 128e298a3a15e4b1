import { mayDecide, type HoldFacts, type PausedRequest } from '@doorledger/consent';
import { TurnError } from '../turn-error.js';
import type { DecisionAsk } from './decision-ask.js';
import type { PausedTurn } from './paused-turn.js';

/** Before anything is told of the request, or done about it. @throws TurnError */
export function refuseStranger(decider: DecisionAsk['decider'], paused: PausedTurn | undefined, isFrozen: boolean): void {
  if (isFrozen) throw new TurnError('ERR_FROZEN', 'An operator has stopped this for now. Nothing was decided.');
  if (!paused?.request) return;
  const { call } = paused.request;
  if (![true, false].some((approved) => mayDecide(decider, call.party, paused.terms.policy, approved)))
    throw new TurnError('ERR_ROLE_REQUIRED', 'This request is for other people to decide.');
}

/** N50 and N55: under separation of duties nobody approves what they wrote themselves. @throws TurnError */
export function refuseOwnWords(sent: unknown, paused: PausedTurn): void {
  if (paused.terms.policy.separation && (sent as { readonly changes?: unknown }).changes !== undefined)
    throw new TurnError('ERR_ROLE_REQUIRED', 'Who approves this may not write its arguments: decline it, and say what to ask for.');
}

export const isDecline = (sent: unknown): boolean => (sent as { readonly approved?: unknown } | null)?.approved === false;

/** Nothing runs by a decline, so what became of the tool and its rules does not matter to it. */
export const asAsked = ({ toolHash, ask }: PausedRequest['call']): Pick<HoldFacts, 'toolHash' | 'chain'> => ({
  toolHash,
  ...(ask && { chain: [...Array.from({ length: ask.index }, () => ''), ...ask.chain] }),
});

export const clocksOf = ({ decide_by, spend_by }: { readonly decide_by: number | null; readonly spend_by: number | null }) => ({
  ...(decide_by !== null && { decideBy: decide_by }),
  ...(spend_by !== null && { spendBy: spend_by }),
});
