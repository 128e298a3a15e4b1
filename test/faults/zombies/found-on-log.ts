/** What the log says of runs, requests and calls, by an own reading of the rules. */

/** One host's hold of a session. */
export interface RunFound {
  readonly runId: string;
  readonly turnId: string;
  readonly hostId: string;
  readonly session: string;
  /** The request it was claimed for. */
  readonly resumes?: string;
  /** Log timestamps of its standing records, in their order. */
  readonly signs: number[];
  how?: 'completed' | 'failed' | 'paused' | 'lapsed' | 'closed';
}

export type Verdict = 'approved' | 'declined' | 'closed' | 'expired';

/** A consent request that was minted. */
export interface RequestFound {
  readonly requestId: string;
  readonly callId: string;
  readonly turnId: string;
  readonly session: string;
  readonly partition: number;
  readonly decideBy?: number;
  readonly spendBy?: number;
  readonly quorum?: number;
  /** By person: the first vote of each. */
  readonly votes: Map<string, boolean>;
  spent?: { readonly verdict: Verdict; readonly claimId?: string; readonly by?: string; readonly offset: number };
}

export type CallOutcome = 'ok' | 'error' | 'not-sent' | 'cancelled';

/** A dispatch that stands. */
export interface AttemptFound {
  readonly callId: string;
  readonly attempt: number;
  readonly runId: string;
  readonly requestId?: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  /** How its host said that it ended. */
  end?: CallOutcome;
  /** Log timestamp of that. */
  endedAt?: number;
  /** A person's word. */
  word?: 'ran' | 'did-not-run';
}

/** A record of the session topic. */
export interface LoggedRecord {
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
  readonly epoch: number;
  readonly key: string;
  readonly type?: string;
  readonly data: RecordData;
}

/** Of every kind of record, what a rule looks at. */
export interface RecordData {
  readonly turnId: string;
  readonly runId: string;
  readonly hostId: string;
  readonly signer?: string;
  readonly after: string | null;
  readonly resumes?: string;
  readonly wait?: boolean;
  readonly idempotency?: { readonly key: string };
  readonly errorName?: string;
  readonly requestId: string;
  readonly callId: string;
  readonly grant?: string;
  readonly quorum?: number;
  readonly decideBy?: number;
  readonly spendBy?: number;
  readonly notAfter?: number;
  readonly gated?: boolean;
  readonly spend?: { readonly partition: number; readonly offset: number };
  readonly by: string;
  readonly approved: boolean;
  readonly claimId: string;
  readonly verdict: Verdict & ('ran' | 'did-not-run');
  readonly attempt: number;
  readonly outcome: CallOutcome;
}
