import { randomUUID } from 'node:crypto';
import { hold, mayDecide, readDecision, tally, type Decision, type HoldFacts, type PausedRequest, type Refusal } from '@doorledger/consent';
import type { Claims, HeldSession, SessionView } from '@doorledger/event-log';
import { askLedger, type LedgerReader } from '@doorledger/ledger';
import type { ToolServers } from '@doorledger/mcp';
import type { TurnAnswer } from '../turn-ask.js';
import { TurnError } from '../turn-error.js';
import type { TurnRunner } from '../turn-runner.js';
import { changedCall, type ChangedCall } from './changed-call.js';
import type { DecisionAnswer, DecisionAsk } from './decision-ask.js';
import type { Gates } from './gates.js';
import type { ResumeAsk, SpentVerdict } from './go-on.js';
import type { PausedTurn } from './paused-turn.js';
import { settledOrEnded } from './settled-or-ended.js';
import { asAsked, clocksOf, isDecline, refuseOwnWords, refuseStranger } from './deciding.js';
import { refusedAs } from './refused-decision.js';

export interface DecisionsOptions {
  readonly view: Pick<SessionView, 'hold'>;
  readonly claims: Claims;
  readonly runner: Pick<TurnRunner, 'resume'>;
  readonly ledger: Pick<LedgerReader, 'consent'>;
  readonly pauseOf: (key: string, held: HeldSession) => Promise<PausedTurn | undefined>;
  readonly gates: Gates;
  readonly servers: Pick<ToolServers, 'tools'>;
  readonly logId: string;
  /** P6: an operator stopped this person, or their tenant. */
  readonly isFrozen: (decider: Pick<DecisionAsk['decider'], 'userRef' | 'tenant'>) => boolean;
}

/** N13: how long a decision that lost its race waits for what the winner makes of it. */
const TRIES = 5;
const WAIT_MS = 2000;
const UNHEARD_MS = 300;

/** Decisions on paused turns: judged, voted, claimed and spent by the log's order (spec 2). */
export class Decisions {
  constructor(private readonly options: DecisionsOptions) {}

  /** @throws TurnError: `ERR_DECISION_REQUIRED`, `ERR_RESUME_REFUSED` with its reason, `ERR_NO_PENDING_ASK`, `ERR_CONCURRENT_RUN`, … */
  async decide(ask: DecisionAsk): Promise<DecisionAnswer> {
    const { view } = this.options;
    const held = await view.hold(ask.key);
    try {
      await ask.judge?.(held.state);
      return await this.#decide(ask, held);
    } finally {
      held.release();
    }
  }

  /**
   * Closes a pause: what stands as closed never ran and never can (N31). Resolves to what the request is settled as, by this close or
   * before it (N32).
   */
  async close(key: string, requestId: string, reason: string, by?: string): Promise<SpentVerdict | 'unknown'> {
    const held = await this.options.view.hold(key);
    try {
      const data = { requestId, claimId: randomUUID(), verdict: 'closed', reason, ...(by !== undefined && { by }) } as const;
      const [met] = await this.options.claims.append(key, [{ type: 'consent.spent', data }]);
      if (met!.verdict.stands) return 'closed';
      return (await this.#settledAs(requestId)) ?? 'unknown';
    } finally {
      held.release();
    }
  }

  /**
   * L12: carries out what a quorum has decided and nobody claimed. Nothing happens where somebody did in the meantime.
   * @throws TurnError, as `decide`
   */
  async takeUp(requestId: string, approved: boolean): Promise<void> {
    const row = await this.options.ledger.consent(requestId);
    if (!row) return;
    const held = await this.options.view.hold(row.session_key);
    try {
      const { paused: waiting, run } = held.state;
      if (waiting?.requestId !== requestId || run) return;
      const paused = await this.options.pauseOf(row.session_key, held);
      const ask = { key: row.session_key, sent: { requestId, approved }, decider: { roles: [] }, signal: new AbortController().signal };
      const request = await this.#held(ask, requestId, paused);
      await this.#resume(ask, { requestId, approved }, { ...paused!, request }, waiting.turnId, held);
    } finally {
      held.release();
    }
  }

  async #decide(ask: DecisionAsk, held: HeldSession): Promise<DecisionAnswer> {
    const decision = readDecision(ask.sent);
    for (let tries = 0; tries < TRIES; tries++) {
      const { state } = held;
      const quoted = decision?.requestId;
      if (!state.paused || (quoted !== undefined && quoted !== state.paused.requestId)) return this.#onSettled(ask, decision, held);
      const paused = await this.options.pauseOf(ask.key, held);
      const { turnId, requestId } = state.paused;
      // Settled, or asked anew, while the pause was read.
      if (held.state.paused?.requestId !== requestId) continue;
      refuseStranger(ask.decider, paused, this.options.isFrozen(ask.decider));
      const request = await this.#held(ask, requestId, paused);
      const { policy } = paused!.terms;
      if (!mayDecide(ask.decider, request.call.party, policy, decision!.approved))
        throw new TurnError('ERR_ROLE_REQUIRED', 'This request is for other people to decide.');
      if (state.run?.resumes === quoted) {
        if (tries > 0 || !(await settledOrEnded(held, WAIT_MS)))
          throw new TurnError('ERR_CONCURRENT_RUN', 'Another decision on this request is being carried out. Ask again when it has ended.');
        continue;
      }
      refuseOwnWords(ask.sent, paused!);
      const changed = await changedCall(ask.sent, { ...paused!, request }, ask.decider, this.options);
      const open = changed || policy.quorum === undefined ? undefined : await this.#vote(ask, decision!, policy.quorum);
      if (open) return { kind: 'voted', turnId, requestId: request.pending.id, votes: open };
      const resumed = await this.#resume(ask, decision!, { ...paused!, request }, turnId, held, changed);
      // The same word, on the call as it was changed (N55).
      if (changed && resumed?.kind === 'awaiting')
        return this.#decide({ ...ask, sent: { ...decision, requestId: resumed.ask.requestId } }, held);
      if (resumed) return resumed;
    }
    throw new TurnError('ERR_CONCURRENT_RUN', 'This request is being decided on by others. Ask again soon.');
  }

  /** The request that this decision may be spent on. @throws TurnError with the first reason against it; what nobody can answer is closed */
  async #held(ask: DecisionAsk, requestId: string, paused: PausedTurn | undefined): Promise<PausedRequest> {
    const { gates, servers, logId } = this.options;
    const row = await this.#row(requestId);
    const call = paused?.request?.call;
    const tool = call && servers.tools().find(({ name }) => name === `${call.server}.${call.tool}`);
    const isListed = call && servers.tools().some(({ server }) => server === call.server);
    const facts: HoldFacts = {
      now: Date.now(),
      ...(ask.decider.userRef !== undefined && { by: ask.decider.userRef }),
      minted: { gate: row.gate as 'checkIn' | 'ask', ...clocksOf(row) },
      ledger: logId,
      ...(tool ? { toolHash: tool.hash } : isListed && { toolHash: null }),
      ...(call && { chain: gates.chain(call.server, call.tool) }),
    };
    const holding = hold(ask.sent, paused?.request, isDecline(ask.sent) && call ? { ...facts, ...asAsked(call) } : facts);
    if (holding.outcome === 'held') return holding.request;
    if (holding.outcome === 'repeated') throw new Error('A request without a standing spend has no winner.');
    if (holding.isUnanswerable) await this.#giveUp(ask.key, requestId, holding);
    throw refusedAs(holding);
  }

  /** N10: what no decision can ever settle is closed, and the session is free. Past its clocks it is `expired` (N8). */
  async #giveUp(key: string, requestId: string, { reason }: Refusal): Promise<void> {
    const claimId = randomUUID();
    const data = reason === 'expired' ? ({ verdict: 'expired' } as const) : ({ verdict: 'closed', reason: reason! } as const);
    await this.options.claims.append(key, [{ type: 'consent.spent', data: { requestId, claimId, ...data } }]);
  }

  /** Nothing waits for this very decision: what was quoted is settled, or was never asked here. */
  async #onSettled(ask: DecisionAsk, decision: Decision | undefined, { state }: HeldSession): Promise<DecisionAnswer> {
    const quoted = decision?.requestId;
    const row = quoted === undefined ? undefined : await this.#settledRow(quoted, ask.key);
    if (row) {
      const standing = { verdict: row.status as SpentVerdict, ...(row.settled_by !== null && { by: row.settled_by }) };
      const holding = hold(ask.sent, undefined, {
        now: Date.now(),
        ...(ask.decider.userRef !== undefined && { by: ask.decider.userRef }),
        standing,
      });
      if (holding.outcome === 'repeated') return { kind: 'repeated', turnId: row.turn_id!, verdict: holding.verdict };
      if (holding.outcome === 'refused') throw refusedAs(holding);
    }
    if (!state.paused) throw new TurnError('ERR_NO_PENDING_ASK', 'Nothing waits for a decision here.');
    const holding = hold(ask.sent, undefined, { now: Date.now() });
    if (holding.outcome === 'refused' && (holding.code === 'ERR_DECISION_REQUIRED' || holding.reason === 'no-request'))
      throw refusedAs(holding);
    throw refusedAs({ code: 'ERR_RESUME_REFUSED', http: 409, reason: 'other-request', isUnanswerable: false });
  }

  /** Undefined once the quorum decides: then the request can be claimed. */
  async #vote(ask: DecisionAsk, { requestId, approved }: Decision, quorum: number) {
    const { userRef: by } = ask.decider;
    if (by === undefined) throw new TurnError('ERR_ROLE_REQUIRED', 'Several people have to approve this, so each has to be known.');
    const [met] = await this.options.claims.append(ask.key, [{ type: 'consent.voted', data: { requestId: requestId!, by, approved } }]);
    const { have, need, isVetoed } = tally(met!.state.paused?.votes ?? [], quorum);
    return isVetoed || have >= need ? undefined : { have, need };
  }

  async #resume(
    ask: DecisionAsk,
    { approved, note }: Decision,
    paused: ResumeAsk['paused'],
    turnId: string,
    held: HeldSession,
    changed?: ChangedCall,
  ): Promise<TurnAnswer | undefined> {
    const { key, decider, idempotency, watch, onHandOverFailure, signal, onSettled } = ask;
    const votes = held.state.paused?.votes ?? [];
    const isVetoed = paused.terms.policy.quorum !== undefined && tally(votes, paused.terms.policy.quorum).isVetoed;
    const resume: ResumeAsk = {
      key,
      turnId,
      paused,
      approved: approved && !isVetoed,
      ...(decider.userRef !== undefined && { by: decider.userRef }),
      ...(note !== undefined && { note }),
      // A key is remembered with the claim that runs the call.
      ...(idempotency && !changed && { idempotency }),
      ...(changed && { changed }),
      ...(watch && { watch }),
      onHandOverFailure,
      signal,
      onSettled: (verdict) => onSettled?.(turnId, verdict, paused.request.pending.id),
    };
    try {
      return await this.options.runner.resume(resume, held);
    } catch (error) {
      // Somebody else's claim came first: what it makes of the request is the answer.
      const isLost =
        error instanceof TurnError && ['ERR_CONCURRENT_RUN', 'ERR_NO_PENDING_ASK', 'ERR_AWAITING_DECISION'].includes(error.code);
      if (!isLost) throw error;
      const { id } = paused.request.pending;
      // A request that is settled already is judged by what stands, however long its run goes on (N13).
      if (held.state.paused?.requestId === id && held.state.run?.resumes === id && !(await settledOrEnded(held, WAIT_MS)))
        throw new TurnError('ERR_CONCURRENT_RUN', 'Another decision on this request is being carried out. Ask again when it has ended.');
      return undefined;
    }
  }

  async #settledAs(requestId: string): Promise<SpentVerdict | 'unknown' | undefined> {
    return (await this.#settledRow(requestId))?.status as SpentVerdict | undefined;
  }

  /** The ledger's row of a request that is settled on the log, once the ledger has read that far. */
  async #settledRow(requestId: string, key?: string) {
    const heard = await askLedger(async (waitedMs) => {
      const row = await this.options.ledger.consent(requestId);
      if (row && key !== undefined && row.session_key !== key) return 'nothing';
      // What nobody has heard of is waited for only as long as the ledger is usually behind.
      if (!row) return waitedMs > UNHEARD_MS ? 'nothing' : undefined;
      return row.status === 'pending' ? undefined : row;
    });
    if (!heard) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger has not read what became of this request yet. Try again soon.');
    return heard === 'nothing' ? undefined : heard;
  }

  async #row(requestId: string) {
    const row = await askLedger(async () => {
      const read = await this.options.ledger.consent(requestId);
      return read?.gate ? read : undefined;
    });
    if (!row) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger has not read this request yet. Try again soon.');
    return row;
  }
}
