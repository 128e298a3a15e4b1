import type { Decider } from '@doorledger/consent';
import type { SessionState } from '@doorledger/event-log';
import type { TurnAnswer, TurnAsk, TurnWatch } from '../turn-ask.js';
import type { SpentVerdict } from './go-on.js';

/** Somebody's word on what a session waits for. */
export interface DecisionAsk {
  /** The session's reference. */
  readonly key: string;
  /** As it came in. */
  readonly sent: unknown;
  readonly decider: Decider & { readonly userRef?: string };
  /** Whether the caller may know of the session at all; before anything else is told (O2). @throws what the caller hears */
  readonly judge?: (state: SessionState) => void | Promise<void>;
  readonly idempotency?: TurnAsk['idempotency'];
  readonly watch?: TurnWatch;
  readonly onHandOverFailure?: TurnAsk['onHandOverFailure'];
  readonly signal: AbortSignal;
  /** Told once the request is settled, before the turn goes on: the quoted one, or the one that took its place (N55). */
  readonly onSettled?: (turnId: string, verdict: SpentVerdict | 'unknown', requestId: string) => void;
}

export type DecisionAnswer =
  | TurnAnswer
  /** A vote of a quorum that is not complete. */
  | {
      readonly kind: 'voted';
      readonly turnId: string;
      readonly requestId: string;
      readonly votes: { readonly have: number; readonly need: number };
    }
  /** The winner's own retry (N12): it gets what became of the turn. */
  | { readonly kind: 'repeated'; readonly turnId: string; readonly verdict: string };
