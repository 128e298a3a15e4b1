/** What the judge remembers of a history, beyond the bounded state of the fold. */
export interface Memory {
  /** `callId#attempt` sent, and recorded as not sent. */
  readonly sent: readonly string[];
  readonly notSent: readonly string[];
  readonly dispatched: readonly string[];
  readonly minted: readonly string[];
  /** requestId: verdict, and the claim of an approval or a decline. */
  readonly settled: Readonly<Record<string, string>>;
  readonly vetoed: readonly string[];
  readonly endedRuns: readonly string[];
  /** runId: idempotency key and turn of its claim. */
  readonly keyed: Readonly<Record<string, { readonly key: string; readonly turnId: string }>>;
  /** Idempotency key: the turns that did something under it. */
  readonly worked: Readonly<Record<string, readonly string[]>>;
  readonly violation?: string;
}

export const startMemory: Memory = {
  sent: [],
  notSent: [],
  dispatched: [],
  minted: [],
  settled: {},
  vetoed: [],
  endedRuns: [],
  keyed: {},
  worked: {},
};
