import { tally, type Vote } from '@doorledger/consent';
import type { PausedTurn } from './paused-turn.js';

/** What the asker and the inbox get of a waiting request (N18). */
export interface PendingAsk {
  readonly requestId: string;
  readonly turnId: string;
  readonly gate: 'checkIn' | 'ask';
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly question?: string;
  /** RFC 3339 */
  readonly decideBy?: string;
  readonly spendBy?: string;
  readonly votes?: { readonly have: number; readonly need: number };
  readonly replaces?: string;
}

const isoOf = (date: number | undefined) => (date === undefined ? undefined : new Date(date).toISOString());

export function pendingAsk(turnId: string, paused: PausedTurn, votes: readonly Vote[] = []): PendingAsk {
  const { request, terms, question, replaces } = paused;
  const { call, pending } = request!;
  const { quorum } = terms.policy;
  const [decideBy, spendBy] = [isoOf(paused.decideBy), isoOf(paused.spendBy)];
  const counted = quorum === undefined ? undefined : tally(votes, quorum);
  return {
    requestId: pending.id,
    turnId,
    gate: call.gate,
    server: call.server,
    tool: call.tool,
    args: call.args,
    ...(question !== undefined && { question }),
    ...(decideBy !== undefined && { decideBy }),
    ...(spendBy !== undefined && { spendBy }),
    ...(counted && { votes: { have: counted.have, need: counted.need } }),
    ...(replaces !== undefined && { replaces }),
  };
}
