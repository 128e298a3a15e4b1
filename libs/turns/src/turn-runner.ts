import { v7 as uuidv7 } from 'uuid';
import type { Usage } from '@doorledger/agent';
import { DoorledgerError } from '@doorledger/contracts';
import { ClaimUnknownError, type HeldSession, type SessionView } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import { inSpan } from '@doorledger/observability';
import type { KeyOwner } from '@doorledger/privacy';
import { claimSession } from './claim-session.js';
import { Lease, type Run } from './lease.js';
import { LostRunError, lostRun } from './lost-run.js';
import { resultsOfOpenCalls } from './open-calls.js';
import { goOn, type ResumeAsk } from './consent/go-on.js';
import type { TurnParty } from './consent/paused-turn.js';
import { RunLog } from './run-log.js';
import { StepLoop, type StepBounds, type StepLoopOptions, type StepScope } from './step-loop.js';
import type { TurnAnswer, TurnAsk } from './turn-ask.js';
import type { Said } from './turn-content.js';
import { TurnError, turnBound } from './turn-error.js';

export interface TurnRunnerOptions extends StepLoopOptions {
  readonly hostId: string;
  readonly bootId: string;
  readonly view: SessionView;
  readonly ledger: Pick<LedgerReader, 'turnDetail'>;
  /** What was said in the session before, oldest first. */
  readonly history: (key: string, held: HeldSession) => Promise<Said[]>;
  /** Claims on a busy session queue instead of being refused (R1). */
  readonly enqueue: boolean;
  /** L21 */
  readonly bounds: StepBounds & { readonly wallTimeMs: number };
}

/** Runs turns: claim, step, complete (spec 6). Nothing is kept in memory that the log does not have. */
export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #running = new Set<AbortController>();
  #idle: (() => void)[] = [];

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Stops every running turn; each is recorded as failed. */
  stop(): void {
    for (const stop of this.#running) stop.abort();
  }

  /** Resolves when no turn runs. */
  async drained(): Promise<void> {
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /**
   * Runs one turn; resolves when its answer is durable (D21).
   * @throws TurnError, or what the agent threw after the turn was recorded as failed.
   */
  run(ask: TurnAsk): Promise<TurnAnswer> {
    return inSpan('turn', turnSpan(ask.turnId), () => this.track(ask.signal, (stop) => this.#run(ask, stop)));
  }

  /**
   * Goes on with a paused turn by a decision that holds (N20): claims the session for it, spends the request, and carries the turn on in
   * its party's name. @throws as `run`
   */
  resume(ask: ResumeAsk, held: HeldSession): Promise<TurnAnswer> {
    return inSpan('turn', turnSpan(ask.turnId), () => this.track(ask.signal, (stop) => this.#resume(ask, held, stop)));
  }

  /** Counts a turn while `work` has to do with it, wherever it runs: `stop` ends it and `drained` waits for it (R2). */
  async track(signal: AbortSignal, work: (stop: AbortController) => Promise<TurnAnswer>): Promise<TurnAnswer> {
    const stop = new AbortController();
    const hangUp = () => stop.abort();
    this.#running.add(stop);
    if (signal.aborted) hangUp();
    else signal.addEventListener('abort', hangUp);
    try {
      return await work(stop);
    } catch (error) {
      if (error instanceof ClaimUnknownError)
        throw new TurnError('ERR_LOG_UNAVAILABLE', 'The log did not confirm the turn in time.', { cause: error });
      throw error;
    } finally {
      signal.removeEventListener('abort', hangUp);
      this.#running.delete(stop);
      if (this.#running.size === 0) for (const idle of this.#idle.splice(0)) idle();
    }
  }

  async #run(ask: TurnAsk, stop: AbortController): Promise<TurnAnswer> {
    const { view, claims, content, hostId, bootId, enqueue } = this.#options;
    const { turnId, session, signer, tenantRef, idempotency, person, party = {}, watch, onHandOverFailure } = ask;
    const key = session?.ref ?? turnId;
    if (view.isBehind) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger is too far behind the log to take on more. Try again soon.');
    const held = await view.hold(key, !session && !ask.mayExist);
    try {
      const admitted = await ask.admit?.(held.state);
      const mayWait = enqueue || admitted?.mayWait === true;
      stop.signal.throwIfAborted();
      if (session && isNew(held)) await content.sessionName(session.ref, session.id);
      const run = await claimSession({ key, turnId, hostId, bootId, signer, tenantRef, idempotency, wait: mayWait }, held, claims);
      const turn: TurnParty | undefined = session && {
        sessionId: session.id,
        ...(person && { person }),
        ...(signer !== undefined && { signer }),
      };
      const scope = {
        owner: ownerOf(ask, bootId),
        person: personOf(turn, key, ask),
        party,
        partyRef: signer ?? key,
        turn,
        watch,
        onHandOverFailure,
      };
      return await this.#carry(run, scope, held, stop, async (steps) => {
        const said = session ? await this.#options.history(key, held) : [];
        const open = await resultsOfOpenCalls(said, held.state, this.#options.ledger);
        const before = said.flatMap(({ messages }) => messages);
        return steps.carry({ before, added: [...open, { role: 'user', text: ask.input }], step: 1, toolCalls: 0 });
      });
    } finally {
      held.release();
    }
  }

  async #resume(ask: ResumeAsk, held: HeldSession, stop: AbortController): Promise<TurnAnswer> {
    const { claims, hostId, bootId } = this.#options;
    const { key, turnId, paused, idempotency, watch } = ask;
    const { signer } = paused.party;
    const resumes = paused.request.pending.id;
    // N23: nothing goes to the log for a caller who is gone by now.
    stop.signal.throwIfAborted();
    const run = await claimSession({ key, turnId, hostId, bootId, signer, idempotency, resumes, wait: false }, held, claims);
    const scope = {
      owner: { kind: 'session', ref: key } as const,
      person: personOf(paused.party, key, { signer }),
      party: paused.request.call.party,
      partyRef: signer ?? key,
      turn: paused.party,
      watch,
      onHandOverFailure: ask.onHandOverFailure,
    };
    return this.#carry(run, scope, held, stop, async (steps, log) => {
      const before = (await this.#options.history(key, held)).flatMap(({ messages }) => messages);
      return goOn(steps, log, ask, before);
    });
  }

  async #carry(
    run: Run,
    { owner, ...scope }: Omit<StepScope, 'log' | 'signal'> & { readonly owner: KeyOwner },
    held: HeldSession,
    stop: AbortController,
    work: (steps: StepLoop, log: RunLog) => Promise<TurnAnswer>,
  ): Promise<TurnAnswer> {
    const { bounds, claims, sessions } = this.#options;
    const lease = new Lease(run, held, claims, () => stop.abort());
    let isOverdue = false;
    const wall = setTimeout(() => {
      isOverdue = true;
      stop.abort();
    }, bounds.wallTimeMs);
    const log = new RunLog(this.#options, run, { ...run, owner }, lease);
    const steps = new StepLoop(this.#options, { ...scope, log, signal: stop.signal });
    try {
      return await work(steps, log);
    } catch (error) {
      if (steps.handOverFailure) scope.onHandOverFailure?.(steps.handOverFailure);
      if (held.state.paused?.turnId !== run.turnId) sessions.fire({ kind: 'turn-end', turnId: run.turnId });
      if (lease.ended) throw lostRun(lease.ended);
      const problem = isOverdue ? turnBound('wallTimeMs', 'The turn took longer than it may.') : error;
      if (!(error instanceof ClaimUnknownError)) await this.#fail(run, problem, steps.usage);
      throw error instanceof LostRunError ? lostRun('lapsed') : problem;
    } finally {
      clearTimeout(wall);
      lease.release();
    }
  }

  async #fail({ key, turnId, runId }: Run, error: unknown, usage: Usage | undefined): Promise<void> {
    await this.#options.lane.durable();
    const data = {
      turnId,
      runId,
      liveToolSessions: this.#options.sessions.liveOf(key),
      ...(usage && { usage }),
      errorName: classOf(error),
      ...(error instanceof DoorledgerError && { errorCode: error.code }),
    };
    await this.#options.claims.append(key, [{ type: 'turn.failed', data }]);
  }
}

const turnSpan = (turnId: string) => ({ attributes: { 'doorledger.turn.id': turnId } });

/** Nobody has used the session yet, as far as the own tail knows. */
const isNew = ({ state }: HeldSession): boolean => state.lastRunId === null;

/** What the turn's tool sessions are keyed by (T1, T2). */
const personOf = (turn: TurnParty | undefined, key: string, { signer }: Pick<TurnAsk, 'signer'>): StepScope['person'] => ({
  ...turn?.person,
  ...(turn && { sessionId: turn.sessionId, sessionRef: key }),
  ...(signer !== undefined && { userRef: signer }),
});

function ownerOf({ session, signer }: TurnAsk, bootId: string): KeyOwner {
  if (session) return { kind: 'session', ref: session.ref };
  return signer ? { kind: 'person', ref: signer } : { kind: 'boot', ref: bootId };
}

/** L10, T41: an error's class, never its text. */
export function classOf(error: unknown): string {
  const name = (error as { name?: unknown } | null)?.name;
  return typeof name === 'string' && /^[A-Za-z0-9_$]{1,64}$/.test(name) ? name : 'Error';
}

/** UUIDv7: what is made together lies together in the ledger. */
export const newTurnId = (): string => uuidv7();
