import type { FrozenRecord, FrozenRecords } from '@doorledger/contracts';
import type { Effect } from '../effect.js';
import { foldSession } from '../fold.js';
import type { SessionRecord } from '../record.js';
import { emptySession, type SessionState } from '../state.js';
import type { Verdict } from '../verdict.js';

/** `stands`, `waits`, `ignored`, or the reason why a record is void. */
export const word = (v: Verdict): string => (v.stands ? 'stands' : v.waits ? 'waits' : v.isIgnored ? 'ignored' : v.reason);

/** One session's records in order, folded as they come; every method answers with the record's verdict in one word. */
export class History {
  state: SessionState = emptySession;
  /** What the last record changed. */
  effects: readonly Effect[] = [];
  T = 0;
  timestamp = 1_000_000;
  offset = 0;

  /** Time between two records, on the log's clock and in T. */
  pass(ms: number): this {
    this.T += ms;
    this.timestamp += ms;
    return this;
  }

  add(frozen: FrozenRecord): string {
    return this.#fold({ type: frozen.type, frozen });
  }

  /** A record of which only the headers can be read. */
  addUnreadable(type?: string, subject?: string): string {
    return this.#fold({ type, subject });
  }

  /** By default the claim of a host that has seen everything so far; the turn of run `r1` is `t-r1`. */
  claim(runId: string, over: Partial<FrozenRecords['turn.claimed']> = {}): string {
    const { lastRunId } = this.state;
    return this.add({ type: 'turn.claimed', turnId: `t-${runId}`, runId, hostId: 'host', bootId: 'boot', after: lastRunId, ...over });
  }

  renew(runId: string): string {
    return this.add({ type: 'turn.renewed', runId });
  }

  step(runId: string): string {
    return this.add({ type: 'turn.stepped', runId });
  }

  complete(runId: string): string {
    return this.add({ type: 'turn.completed', runId });
  }

  fail(runId: string, errorName?: string): string {
    return this.add({ type: 'turn.failed', runId, ...(errorName && { errorName }) });
  }

  lapse(runId: string): string {
    return this.add({ type: 'turn.lapsed', runId });
  }

  mint(runId: string, requestId: string, over: Partial<FrozenRecords['consent.minted']> = {}): string {
    return this.add({ type: 'consent.minted', runId, requestId, callId: `call-${requestId}`, ...over });
  }

  /** The atomic pair; the verdict is that of `turn.paused`. */
  pause(runId: string, requestId: string, over: Partial<FrozenRecords['consent.minted']> = {}): string {
    this.mint(runId, requestId, over);
    return this.add({ type: 'turn.paused', runId, requestId });
  }

  vote(requestId: string, by: string, approved = true): string {
    return this.add({ type: 'consent.voted', requestId, by, approved });
  }

  spend(requestId: string, claimId: string, verdict: FrozenRecords['consent.spent']['verdict'] = 'approved'): string {
    return this.add({ type: 'consent.spent', requestId, claimId, verdict });
  }

  dispatch(runId: string, callId: string, attempt = 1, over: Partial<FrozenRecords['tool-call.dispatched']> = {}): string {
    return this.add({ type: 'tool-call.dispatched', runId, callId, attempt, ...over });
  }

  finish(runId: string, callId: string, attempt = 1, outcome: FrozenRecords['tool-call.finished']['outcome'] = 'ok'): string {
    return this.add({ type: 'tool-call.finished', runId, callId, attempt, outcome });
  }

  reconcile(callId: string, attempt = 1, verdict: FrozenRecords['tool-call.reconciled']['verdict'] = 'ran'): string {
    return this.add({ type: 'tool-call.reconciled', callId, attempt, verdict, by: 'person' });
  }

  close(): string {
    return this.add({ type: 'session.closed', reason: 'owner' });
  }

  repair(offset: number): string {
    return this.add({ type: 'session.repaired', position: { partition: 0, offset }, treatAs: 'void' });
  }

  /** The last record's effects of one kind. */
  effectsOf<K extends Effect['kind']>(kind: K): Extract<Effect, { kind: K }>[] {
    return this.effects.filter((e): e is Extract<Effect, { kind: K }> => e.kind === kind);
  }

  #fold(record: Omit<SessionRecord, 'position'>): string {
    const at = { position: { partition: 0, offset: this.offset++ }, ...record };
    const { state, verdict, effects } = foldSession(this.state, at, { T: this.T, timestamp: this.timestamp });
    this.state = state;
    this.effects = effects;
    return word(verdict);
  }
}
