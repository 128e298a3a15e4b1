import type { Gate } from './call.js';
import { readDecision, type Decision } from './decision.js';
import { isCommitted, type PausedRequest } from './paused-request.js';
import { refused, type Refusal, type StandingVerdict } from './refusal.js';

/** What the host knows when a decision comes in. */
export interface HoldFacts {
  /** Epoch ms. A forecast: the log timestamp of the spend judges (N8). */
  readonly now: number;
  /** `userRef` of the verified caller. */
  readonly by?: string;
  /** The standing record, in this session, of the id the decision QUOTES. */
  readonly standing?: { readonly verdict: StandingVerdict; readonly by?: string };
  /** The standing `consent.minted` of the id the paused state records; absent where none stands (N14). */
  readonly minted?: { readonly gate: Gate; readonly decideBy?: number; readonly spendBy?: number };
  /** The identity of the log this host spends in; absent while it is not known. */
  readonly ledger?: string;
  /** The tool's definition now; null where its server offers it no more, absent while that is not known. */
  readonly toolHash?: string | null;
  /** Names of all rules of the tool now, in order; absent while they are not known. */
  readonly chain?: readonly string[];
}

export type Holding =
  /** To be claimed and spent; both are detached and deeply frozen copies. */
  | { readonly outcome: 'held'; readonly decision: Decision & { readonly requestId: string }; readonly request: PausedRequest }
  /** The winner's own retry: it gets the winner's outcome (N12). */
  | { readonly outcome: 'repeated'; readonly verdict: StandingVerdict }
  | ({ readonly outcome: 'refused' } & Refusal);

/**
 * Whether a decision may be spent on what is paused (N10, N13). Pure; asked before anything moves and again where it is used.
 * Reasons are judged in the order of the specification's table and the first match answers, but for one: a quoted id with a
 * standing record is judged by that record first of all.
 * @param sent the decision as it came in.
 * @param paused what `readPausedRequest` made of the stored state.
 */
export function hold(sent: unknown, paused: PausedRequest | undefined, facts: HoldFacts): Holding {
  const decision = readDecision(sent);
  if (!decision) return refused('not-a-decision');
  const { requestId } = decision;
  if (requestId === undefined) return refused('no-request');
  if (facts.standing) return byStandingRecord(decision, sent, facts.standing, facts.by);
  if (!paused || !facts.minted) return refused('request-not-recorded');
  const { pending, call } = paused;
  const { gate, decideBy, spendBy } = facts.minted;
  if (requestId !== pending.id) return refused('other-request');
  if (call.gate !== gate || !isCommitted(paused)) return refused('call-changed');
  if (facts.toolHash !== call.toolHash) return refused('tool-changed', facts.toolHash !== undefined);
  if (call.ask && !isSameChain(call.ask, facts.chain)) return refused('chain-changed', facts.chain !== undefined);
  if (facts.ledger !== pending.ledger) return refused('ledger-changed', facts.ledger !== undefined);
  if (isPast(decideBy, facts.now) || isPast(spendBy, facts.now)) return refused('expired');
  return { outcome: 'held', decision: Object.freeze({ ...decision, requestId }), request: paused };
}

/** N55: with other arguments it is another word than the one that stands. */
const changesArguments = (sent: unknown): boolean => (sent as { readonly changes?: unknown }).changes !== undefined;

function byStandingRecord(
  decision: Decision,
  sent: unknown,
  standing: NonNullable<HoldFacts['standing']>,
  by: string | undefined,
): Holding {
  const { verdict } = standing;
  const isSame =
    !changesArguments(sent) && verdict === (decision.approved ? 'approved' : 'declined') && by !== undefined && by === standing.by;
  if (isSame) return { outcome: 'repeated', verdict };
  if (verdict === 'closed') return refused('closed-by-host', false, verdict);
  return refused(verdict === 'expired' ? 'expired' : 'already-answered', false, verdict);
}

function isSameChain({ index, chain }: { readonly index: number; readonly chain: readonly string[] }, now: readonly string[] | undefined) {
  return now?.length === index + chain.length && chain.every((rule, i) => rule === now[index + i]);
}

const isPast = (date: number | undefined, now: number): boolean => date !== undefined && now > date;
