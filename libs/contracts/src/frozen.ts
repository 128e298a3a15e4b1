/**
 * The frozen envelope of L8: for each record of the session topic, the fields that decide whether a claim stands, and
 * nothing else. A release may add fields to a fact; it may never read more here, nor read these more strictly.
 */
export interface FrozenRecords {
  'turn.claimed': {
    readonly turnId: string;
    readonly runId: string;
    readonly hostId: string;
    readonly bootId: string;
    readonly signer?: string;
    readonly after: string | null;
    readonly resumes?: string;
    readonly wait?: boolean;
    readonly idempotency?: { readonly key: string; readonly body: string };
  };
  'turn.renewed': { readonly runId: string };
  'turn.stepped': { readonly runId: string };
  'turn.paused': { readonly runId: string; readonly requestId: string };
  'turn.completed': { readonly runId: string };
  'turn.failed': { readonly runId: string; readonly errorName?: string };
  'turn.lapsed': { readonly runId: string };
  'consent.minted': {
    readonly requestId: string;
    readonly runId: string;
    readonly callId: string;
    readonly grant?: string;
    readonly quorum?: number;
    readonly decideBy?: number;
    readonly spendBy?: number;
  };
  'consent.voted': { readonly requestId: string; readonly by: string; readonly approved: boolean };
  'consent.spent': {
    readonly requestId: string;
    readonly claimId: string;
    readonly verdict: 'approved' | 'declined' | 'closed' | 'expired';
  };
  'tool-call.dispatched': {
    readonly callId: string;
    readonly attempt: number;
    readonly runId: string;
    readonly requestId?: string;
    readonly notAfter?: number;
  };
  'tool-call.finished': {
    readonly callId: string;
    readonly attempt: number;
    readonly runId: string;
    readonly outcome: 'ok' | 'error' | 'not-sent' | 'cancelled';
  };
  'tool-call.reconciled': {
    readonly callId: string;
    readonly attempt: number;
    readonly verdict: 'ran' | 'did-not-run';
    readonly by: string;
  };
  'session.closed': { readonly reason?: string };
  'session.repaired': { readonly position: { readonly partition: number; readonly offset: number }; readonly treatAs: 'void' };
}

export type FrozenType = keyof FrozenRecords;
export type FrozenRecord = { [T in FrozenType]: { readonly type: T } & FrozenRecords[T] }[FrozenType];

type Data = { readonly [name: string]: unknown };
type Check = (value: unknown) => boolean;
const text: Check = (v) => typeof v === 'string' && v !== '';
const number: Check = (v) => typeof v === 'number' && Number.isSafeInteger(v);
const flag: Check = (v) => typeof v === 'boolean';
const maybe =
  (check: Check): Check =>
  (v) =>
    v === undefined || check(v);
const oneOf =
  (...values: string[]): Check =>
  (v) =>
    values.includes(v as string);
const object =
  (checks: Record<string, Check>): Check =>
  (v) =>
    typeof v === 'object' && v !== null && Object.entries(checks).every(([k, c]) => c((v as Data)[k]));

const checks: { readonly [T in FrozenType]: Record<string, Check> } = {
  'turn.claimed': {
    turnId: text,
    runId: text,
    hostId: text,
    bootId: text,
    signer: maybe(text),
    after: (v) => v === null || text(v),
    resumes: maybe(text),
    wait: maybe(flag),
    idempotency: maybe(object({ key: text, body: text })),
  },
  'turn.renewed': { runId: text },
  'turn.stepped': { runId: text },
  'turn.paused': { runId: text, requestId: text },
  'turn.completed': { runId: text },
  'turn.failed': { runId: text, errorName: maybe(text) },
  'turn.lapsed': { runId: text },
  'consent.minted': {
    requestId: text,
    runId: text,
    callId: text,
    grant: maybe(text),
    quorum: maybe(number),
    decideBy: maybe(number),
    spendBy: maybe(number),
  },
  'consent.voted': { requestId: text, by: text, approved: flag },
  'consent.spent': { requestId: text, claimId: text, verdict: oneOf('approved', 'declined', 'closed', 'expired') },
  'tool-call.dispatched': { callId: text, attempt: number, runId: text, requestId: maybe(text), notAfter: maybe(number) },
  'tool-call.finished': { callId: text, attempt: number, runId: text, outcome: oneOf('ok', 'error', 'not-sent', 'cancelled') },
  'tool-call.reconciled': { callId: text, attempt: number, verdict: oneOf('ran', 'did-not-run'), by: text },
  'session.closed': { reason: maybe(text) },
  'session.repaired': { position: object({ partition: number, offset: number }), treatAs: oneOf('void') },
};
const fields = Object.fromEntries(Object.entries(checks).map(([type, of]) => [type, Object.entries(of)])) as {
  readonly [T in FrozenType]: [string, Check][];
};

export const isFrozenType = (type: string | undefined): type is FrozenType => type !== undefined && Object.hasOwn(checks, type);

/** Reads the frozen fields out of a fact's data; `undefined` when one of them cannot be read. */
export function readFrozen(type: FrozenType, data: Data | undefined): FrozenRecord | undefined {
  if (!data) return undefined;
  const frozen: Record<string, unknown> = { type };
  for (const [name, check] of fields[type]) {
    const value = data[name];
    if (!check(value)) return undefined;
    if (value !== undefined) frozen[name] = value;
  }
  return frozen as unknown as FrozenRecord;
}
