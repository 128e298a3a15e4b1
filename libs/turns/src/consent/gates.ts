import type { ApproverPolicy, Asking, Party } from '@doorledger/consent';

/** What a gate asks for: who may decide, and until when (N8, N50). */
export interface GateTerms {
  readonly policy: ApproverPolicy;
  /** From the moment the request is minted, in ms. */
  readonly decideByMs?: number;
  readonly spendByMs?: number;
}

/** A call as rules and gates see it. */
export interface GateCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly party: Party;
}

/** A gate under observation would have asked (N16). */
export interface Observed {
  readonly gate: 'checkIn' | 'ask';
  readonly rule?: string;
}

export type Judgement =
  /** Nothing stands in its way; `args` after every rewrite. */
  | { readonly kind: 'run'; readonly args: GateCall['args'] }
  | { readonly kind: 'deny'; readonly reason: string }
  | { readonly kind: 'gated'; readonly gate: 'checkIn'; readonly args: GateCall['args']; readonly terms: GateTerms }
  | {
      readonly kind: 'gated';
      readonly gate: 'ask';
      readonly ask: Asking;
      readonly question?: string;
      readonly args: GateCall['args'];
      readonly terms: GateTerms;
    };

/** Where a call is in its way past rules and gates: after which rule, and whether the tool's own gate was passed. */
export interface Passed {
  readonly rules: number;
  readonly checkIn: boolean;
}

/** The rules and gates of a host (L22): the chain first, then the tool's own gate. Never throws: what throws denies. */
export interface Gates {
  judge(call: GateCall, passed: Passed): Promise<Judgement & { readonly observed: readonly Observed[] }>;
  /** Names of the rules of a tool, in order (`chain-changed`). */
  chain(server: string, tool: string): readonly string[];
  /** The terms of whatever may ask before a tool runs: rules, then its gate. */
  terms(server: string, tool: string): readonly GateTerms[];
}

/** A host without rules and gates. */
export const openGates: Gates = { judge: async ({ args }) => ({ kind: 'run', args, observed: [] }), chain: () => [], terms: () => [] };
