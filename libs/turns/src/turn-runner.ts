import { v7 as uuidv7 } from 'uuid';
import type { Usage } from '@doorledger/agent';
import { DoorledgerError } from '@doorledger/contracts';
import { ClaimUnknownError, type HeldSession, type SessionView } from '@doorledger/event-log';
import type { KeyOwner } from '@doorledger/privacy';
import { claimSession } from './claim-session.js';
import { Lease, type Run } from './lease.js';
import { LostRunError, lostRun } from './lost-run.js';
import { resultsOfOpenCalls } from './open-calls.js';
import { StepLoop, type StepBounds, type StepLoopOptions } from './step-loop.js';
import type { TurnAnswer, TurnAsk } from './turn-ask.js';
import type { Said } from './turn-content.js';
import { TurnError, turnBound } from './turn-error.js';

export interface TurnRunnerOptions extends StepLoopOptions {
  readonly hostId: string;
  readonly bootId: string;
  readonly view: SessionView;
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
  async run(ask: TurnAsk): Promise<TurnAnswer> {
    const stop = new AbortController();
    const hangUp = () => stop.abort();
    this.#running.add(stop);
    ask.signal.addEventListener('abort', hangUp);
    try {
      return await this.#run(ask, stop);
    } catch (error) {
      if (error instanceof ClaimUnknownError)
        throw new TurnError('ERR_LOG_UNAVAILABLE', 'The log did not confirm the turn in time.', { cause: error });
      throw error;
    } finally {
      ask.signal.removeEventListener('abort', hangUp);
      this.#running.delete(stop);
      if (this.#running.size === 0) for (const idle of this.#idle.splice(0)) idle();
    }
  }

  async #run(ask: TurnAsk, stop: AbortController): Promise<TurnAnswer> {
    const { view, claims, content, hostId, bootId, enqueue } = this.#options;
    const { turnId, session, signer, tenantRef, idempotency } = ask;
    const key = session?.ref ?? turnId;
    if (view.isBehind) throw new TurnError('ERR_LEDGER_BEHIND', 'The ledger is too far behind the log to take on more. Try again soon.');
    const held = await view.hold(key, !session && !ask.mayExist);
    try {
      const admitted = await ask.admit?.(held.state);
      const mayWait = enqueue || admitted?.mayWait === true;
      if (session && isNew(held)) await content.sessionName(session.ref, session.id);
      const run = await claimSession({ key, turnId, hostId, bootId, signer, tenantRef, idempotency, wait: mayWait }, held, claims);
      const lease = new Lease(run, held, claims, () => stop.abort());
      try {
        return await this.#carry(run, ask, held, lease, stop);
      } finally {
        lease.release();
      }
    } finally {
      held.release();
    }
  }

  async #carry(run: Run, ask: TurnAsk, held: HeldSession, lease: Lease, stop: AbortController): Promise<TurnAnswer> {
    const { bounds, history } = this.#options;
    let isOverdue = false;
    const wall = setTimeout(() => {
      isOverdue = true;
      stop.abort();
    }, bounds.wallTimeMs);
    const steps = new StepLoop(this.#options, ask, run, lease, ownerOf(ask, this.#options.bootId), stop.signal);
    try {
      const before = ask.session ? (await history(run.key, held)).flatMap(({ messages }) => messages) : [];
      return await steps.carry(before, [...resultsOfOpenCalls(before, held.state), { role: 'user', text: ask.input }]);
    } catch (error) {
      this.#options.sessions.fire({ kind: 'turn-end', turnId: run.turnId });
      if (lease.ended) throw lostRun(lease.ended);
      const problem = isOverdue ? turnBound('wallTimeMs', 'The turn took longer than it may.') : error;
      if (!(error instanceof ClaimUnknownError)) await this.#fail(run, problem, steps.usage);
      throw error instanceof LostRunError ? lostRun('lapsed') : problem;
    } finally {
      clearTimeout(wall);
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

/** Nobody has used the session yet, as far as the own tail knows. */
const isNew = ({ state }: HeldSession): boolean => state.lastRunId === null;

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
