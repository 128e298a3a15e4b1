import { encodePausedRequest, readPausedRequest, type PausedRequest } from '@doorledger/consent';
import type { Usage } from '@doorledger/agent';
import type { Passed } from './gates.js';
import type { GateTerms } from './gates.js';

/** Whose turn it is: what a resume in any process needs to go on in the party's name (N53). Sealed with the pause. */
export interface TurnParty {
  readonly sessionId: string;
  readonly person?: { readonly tenant?: string; readonly principal: string };
  readonly signer?: string;
}

/** Everything a turn needs to go on after a decision, beside the history (L4). */
export interface PausedTurn {
  /** Undefined where the stored request cannot be read (`request-not-recorded`). */
  readonly request: PausedRequest | undefined;
  readonly terms: GateTerms;
  /** What the call has passed before this gate. */
  readonly passed: Passed;
  readonly question?: string;
  /** The step whose calls wait, and the gated calls of it that come after this one, in the agent's order. */
  readonly step: number;
  readonly waiting: readonly string[];
  readonly toolCalls: number;
  readonly usage?: Usage;
  readonly party: TurnParty;
  /** Of the request that this one replaces (N55). */
  readonly replaces?: string;
  /** An approver has changed its arguments (N55): the agent asked for others, and is told. */
  readonly isChanged?: boolean;
  readonly mintedAt: number;
  readonly decideBy?: number;
  readonly spendBy?: number;
}

export const encodePausedTurn = ({ request, ...rest }: PausedTurn & { readonly request: PausedRequest }): string =>
  JSON.stringify({ ...rest, request: encodePausedRequest(request) });

/** Reads what `encodePausedTurn` wrote; undefined for what is none. Its content was sealed by a host, so its shape is not judged again. */
export function readPausedTurn(text: string): PausedTurn | undefined {
  try {
    const { request, ...rest } = JSON.parse(text) as PausedTurn;
    return { ...rest, request: readPausedRequest(request) };
  } catch {
    return undefined;
  }
}
