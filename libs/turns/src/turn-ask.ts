import type { Position, SessionState } from '@doorledger/event-log';
import type { PendingAsk } from './consent/pending-ask.js';
import type { ArtifactNote } from '@doorledger/agent';
import type { Party } from '@doorledger/consent';

/** What a caller asks for. */
export interface TurnAsk {
  readonly turnId: string;
  readonly input: string;
  readonly session?: { readonly ref: string; readonly id: string };
  /** The proven person (userRef). */
  readonly signer?: string;
  readonly tenantRef?: string;
  /** Who asks, as the credential names them: what an approval is bound to (N1). */
  readonly party?: Party;
  /** Whose tool sessions the turn uses, by name (T2). Kept in the process. */
  readonly person?: { readonly tenant?: string; readonly principal: string };
  /** Of the caller's idempotency key and of what it asked (D18): HMACs, 64 hex each. */
  readonly idempotency?: { readonly key: string; readonly body: string };
  /** `turnId` is derived from the idempotency key: a turn under it may be on the log already. */
  readonly mayExist?: boolean;
  /**
   * Judges the request by the session's state before anything is claimed: ownership, then admission (D5). Resolves to whether it may
   * queue behind a standing run. @throws what the caller hears
   */
  readonly admit?: (state: SessionState) => Promise<{ readonly mayWait: boolean }>;
  readonly watch?: TurnWatch;
  /** Told when the turn fails (H1); an answer says it itself. */
  readonly onHandOverFailure?: ((failure: HandOverFailure) => void) | undefined;
  /** The caller is gone. */
  readonly signal: AbortSignal;
}

/** What a running turn tells of its tools (D25). */
export type ToolProgress =
  | { readonly callId: string; readonly tool: string; readonly state: 'called' | 'ok' | 'error' | 'not-run' | 'unknown' }
  | { readonly callId: string; readonly tool: string; readonly progress: number; readonly total?: number; readonly message?: string };

/** Told of a turn while it runs, in order. */
export interface TurnWatch {
  /** A step of the agent begins; from 1. */
  step(step: number): void;
  /** A piece of the answer's text. */
  piece(text: string): void;
  tool(progress: ToolProgress): void;
}

/** H1: what went wrong first when files were handed over; the turn's end is not changed by it. */
export type HandOverFailure = 'operation-failed' | 'timed-out' | 'caller-gone';

/** How a run ended for its caller. `position`: where that record lies, for readers that need their own write (P3). */
export type TurnAnswer =
  | {
      readonly kind: 'complete';
      readonly output: string;
      /** Files that the turn's tools handed over. */
      readonly artifacts: readonly ArtifactNote[];
      readonly handOverFailure?: HandOverFailure;
      readonly position: Position;
    }
  /** The turn waits for a person. */
  | { readonly kind: 'awaiting'; readonly ask: PendingAsk; readonly position: Position };
