import type { FrozenRecords } from '@doorledger/contracts';
import { KEY_MS, MAX_WAITING } from './limits.js';
import { standing, voided, waiting, type FoldPoint, type Outcome } from './outcome.js';
import { moveQueue } from './queue.js';
import type { IdempotencyKey, PausedRequest, RunRequest, SessionState } from './state.js';
import type { VoidReason } from './verdict.js';

type Claim = FrozenRecords['turn.claimed'];

/** `turn.claimed`: the queue moves first, whatever becomes of the claim. */
export function claim(before: SessionState, fact: Claim, point: FoldPoint): Outcome {
  const state = moveQueue(before, point);
  const why = whyRefused(state, fact, point);
  if (why) return voided(state, why);
  const isBusy = state.run !== undefined || (state.waiting.length > 0 && fact.resumes === undefined);
  const isStale = fact.after !== state.lastRunId;
  const mayWait = fact.wait === true && fact.resumes === undefined && state.waiting.length < MAX_WAITING;
  if (isBusy && !mayWait) return voided(state, 'busy');
  if (isStale) return voided(state, 'after');
  return isBusy ? wait(state, fact, point) : stand(state, fact, point);
}

/** The reasons that a free session would have too. */
function whyRefused(state: SessionState, fact: Claim, point: FoldPoint): VoidReason | undefined {
  if (state.isClosed) return 'closed';
  if (state.lastRunId !== null && state.owner !== (fact.signer ?? null)) return 'signer';
  if (state.run?.runId === fact.runId || state.waiting.some((w) => w.runId === fact.runId)) return 'duplicate';
  if (fact.idempotency && rememberedTurn(state, fact.idempotency.key, point.timestamp)) return 'key';
  if (!state.paused) return fact.resumes === undefined ? undefined : 'not-paused';
  return fact.resumes === state.paused.requestId && fact.turnId === state.paused.turnId ? undefined : 'paused';
}

/** The claim a session remembers under this key at this log timestamp, if any (D18): whose turn it is, and the body it came with. */
export function rememberedTurn(state: SessionState, key: string, timestamp: number): IdempotencyKey | undefined {
  if (state.run?.key?.key === key) return state.run.key;
  for (const w of state.waiting) if (w.key?.key === key) return w.key;
  return state.keys.findLast((k) => k.key === key && timestamp - k.timestamp < KEY_MS);
}

function stand(state: SessionState, fact: Claim, point: FoldPoint): Outcome {
  const { runId, turnId, hostId, bootId, resumes } = fact;
  const isFirst = state.lastRunId === null;
  const owner = isFirst ? (fact.signer ?? null) : state.owner;
  if (isFirst) point.effects.push({ kind: 'owner-set', signer: owner });
  point.effects.push({ kind: 'run-stood', runId, turnId, turn: 'running', hostId, bootId, resumes, fromQueue: false });
  const requests = state.paused ? [toRequest(state.paused)] : [];
  // Named one by one: a spread of a spread would be half of the cost of a fold.
  const { T: leaseFrom } = point;
  const run = { runId, turnId, hostId, bootId, leaseFrom, key: keyOf(fact, point), resumes, hasWorked: false, requests, calls: [] };
  return standing({ ...state, owner, lastRunId: runId, run });
}

function wait(state: SessionState, fact: Claim, point: FoldPoint): Outcome {
  const { runId, turnId, hostId, bootId } = fact;
  point.effects.push({ kind: 'run-waits', runId, turnId, turn: 'waiting', hostId, bootId });
  const run = { runId, turnId, hostId, bootId, leaseFrom: point.T, key: keyOf(fact, point) };
  return waiting({ ...state, waiting: [...state.waiting, run] });
}

function keyOf({ turnId, idempotency }: Claim, { timestamp }: FoldPoint): IdempotencyKey | undefined {
  return idempotency && { key: idempotency.key, body: idempotency.body, turnId, timestamp };
}

function toRequest({ turnId: _turnId, votes: _votes, ...terms }: PausedRequest): RunRequest {
  return { ...terms, isGranted: false };
}
