export const scopes = ['session', 'run', 'call', 'shutdown'] as const;
/** How long a tool session may live, at the longest: see "What fires when" in spec 3. */
export type Scope = (typeof scopes)[number];

/** Whose call it is: what keys, facts and firings need of it. It stays in the process and is never logged. */
export interface CallContext {
  readonly tenant?: string;
  /** `<issuer>|<subject>` where more than one issuer is trusted, else the subject (T2). */
  readonly principal?: string;
  /** As the caller named it. */
  readonly sessionId?: string;
  /** The session's reference on the log. */
  readonly sessionRef?: string;
  /** The person's reference on the log, for `identity.revoked` (T21). */
  readonly userRef?: string;
  readonly turnId: string;
  readonly runId: string;
  /** The host's own UUID, never the model's (T2). */
  readonly callId: string;
}
