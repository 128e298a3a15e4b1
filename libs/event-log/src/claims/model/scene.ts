import type { FrozenType } from '@doorledger/contracts';

/** What a turn does after its claim; it completes when nothing is left. `ask` pauses it: the rest belongs to the decision. */
export type PlanStep = 'step' | 'call' | 'ask' | 'granted';

export interface Message {
  readonly plan: readonly PlanStep[];
  /** The only host that can get it; any by default. */
  readonly host?: number;
  readonly wait?: true;
  readonly key?: string;
}

/** A person's answer to the paused request, or a vote on it. */
export interface Decision {
  readonly verdict: 'approved' | 'declined';
  readonly vote?: { readonly by: string; readonly approved: boolean };
  readonly plan?: readonly PlanStep[];
  readonly key?: string;
  /** By its number in order of minting, from 1. */
  readonly request?: number;
  /** Comes only after this decision was answered. */
  readonly after?: number;
}

/** How often each thing can happen. */
export interface Budget {
  /** Late second copies of an append. */
  readonly copies: number;
  readonly crashes: number;
  /** 20 seconds pass. */
  readonly ticks: number;
  /** A broker's clock steps 40 seconds forward. */
  readonly clockSteps: number;
  /** A process freezes between its last check and the send. */
  readonly freezes: number;
  /** A caller hangs up. */
  readonly hangUps: number;
  readonly queueRenewals: number;
  /** The log's clock passes decide-by. */
  readonly dates: number;
  readonly sessionCloses: number;
  readonly requestCloses: number;
  readonly expirySweeps: number;
  readonly quorumSweeps: number;
  /** A host claims by a view one run old. */
  readonly staleViews: number;
  /** A spend lands with a body nobody can read. */
  readonly unreadableSpends: number;
}

/** One bounded world to search whole. */
export interface Scene {
  readonly hosts: number;
  readonly messages: readonly Message[];
  readonly decisions: readonly Decision[];
  readonly quorum?: number;
  readonly grantUses: number;
  readonly budget: Budget;
  /** Only copies of these types; all by default. */
  readonly copied?: readonly FrozenType[];
  readonly neverRestarts?: true;
}

/** A turn claims, and a call is attempted, at most this often (5 in the product). */
export const MAX_TRIES = 2;
/** Records on their way to some reader. */
export const MAX_LOG = 6;
