import { v7 as uuidv7 } from 'uuid';
import type { Agent, Message } from '@doorledger/agent';
import { DoorledgerError, type Fact } from '@doorledger/contracts';
import {
  ClaimUnknownError,
  type Claims,
  type HeldSession,
  type Position,
  type SessionState,
  type SessionView,
} from '@doorledger/event-log';
import type { KeyOwner } from '@doorledger/privacy';
import { claimSession, refusal } from './claim-session.js';
import type { PrivateWriter } from './content.js';
import { Lease, type Run } from './lease.js';
import type { Said } from './turn-content.js';
import { TurnError } from './turn-error.js';

/** What a caller asks for. */
export interface TurnAsk {
  readonly turnId: string;
  readonly input: string;
  readonly session?: { readonly ref: string; readonly id: string };
  /** The proven person (userRef). */
  readonly signer?: string;
  readonly tenantRef?: string;
  /** Of the caller's idempotency key and of what it asked (D18): HMACs, 64 hex each. */
  readonly idempotency?: { readonly key: string; readonly body: string };
  /** `turnId` is derived from the idempotency key: a turn under it may be on the log already. */
  readonly mayExist?: boolean;
  /**
   * Judges the request by the session's state before anything is claimed: ownership, then admission (D5). Resolves to whether it may
   * queue behind a standing run. @throws what the caller hears
   */
  readonly admit?: (state: SessionState) => Promise<{ readonly mayWait: boolean }>;
  readonly watch?: TurnWatch;
  /** The caller is gone. */
  readonly signal: AbortSignal;
}

/** Told of a turn while it runs, in order. */
export interface TurnWatch {
  /** A step of the agent begins; from 1. */
  step(step: number): void;
  /** A piece of the answer's text. */
  piece(text: string): void;
}

export interface TurnAnswer {
  readonly output: string;
  /** Where the completion lies, for readers that need their own write (P3). */
  readonly position: Position;
}

export interface TurnRunnerOptions {
  readonly hostId: string;
  readonly bootId: string;
  readonly view: SessionView;
  readonly claims: Claims;
  readonly content: PrivateWriter;
  readonly agent: Agent;
  /** What was said in the session before, oldest first. */
  readonly history: (key: string, held: HeldSession) => Promise<Said[]>;
  /** Claims on a busy session queue instead of being refused (R1). */
  readonly enqueue: boolean;
  /** L21 */
  readonly bounds: { readonly wallTimeMs: number };
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
    const { content, bounds, history, agent } = this.#options;
    let isOverdue = false;
    const wall = setTimeout(() => {
      isOverdue = true;
      stop.abort();
    }, bounds.wallTimeMs);
    try {
      const said: Message = { role: 'user', text: ask.input };
      const messages = ask.session ? (await history(run.key, held)).flatMap((before) => before.messages) : [];
      ask.watch?.step(1);
      const text = await answerOf(agent, [...messages, said], stop.signal, ask.watch);
      const scope = { ...run, owner: ownerOf(ask, this.#options.bootId) };
      const ref = await content.messages(scope, [said, { role: 'assistant', text }]);
      const { turnId, runId } = run;
      const position = await this.#end(run, [
        { type: 'turn.stepped', data: { turnId, runId, step: 1, private: ref } },
        { type: 'turn.completed', data: { turnId, runId, steps: 1, toolCalls: 0, private: ref, liveToolSessions: 0 } },
      ]);
      return { output: text, position };
    } catch (error) {
      if (lease.ended) throw lostRun(lease.ended);
      const problem = isOverdue
        ? new TurnError('ERR_TURN_BOUND', 'The turn took longer than it may.', { details: { bound: 'wallTimeMs' } })
        : error;
      if (!(error instanceof ClaimUnknownError)) await this.#fail(run, problem);
      throw problem;
    } finally {
      clearTimeout(wall);
    }
  }

  async #end({ key }: Run, facts: readonly Fact[]): Promise<Position> {
    const met = await this.#options.claims.append(key, facts);
    if (met.some(({ verdict }) => !verdict.stands)) throw lostRun('lapsed');
    return met.at(-1)!.record;
  }

  async #fail({ key, turnId, runId }: Run, error: unknown): Promise<void> {
    const data = {
      turnId,
      runId,
      liveToolSessions: 0,
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

async function answerOf(agent: Agent, messages: readonly Message[], signal: AbortSignal, watch?: TurnWatch): Promise<string> {
  const step = agent.step(messages, signal);
  for (;;) {
    const next = await raceAbort(step.next(), signal);
    if (next.done) return next.value.text;
    watch?.piece(next.value);
  }
}

/** An agent that ignores its signal cannot hold the turn. */
async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new DOMException('The turn was stopped.', 'AbortError'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What the caller hears when somebody else ended the run. */
function lostRun(how: string): Error {
  if (how === 'closed') return refusal('closed');
  return new TurnError('ERR_TURN_ABANDONED', 'This host lost the session before the turn had ended.');
}

/** L10, T41: an error's class, never its text. */
export function classOf(error: unknown): string {
  const name = (error as { name?: unknown } | null)?.name;
  return typeof name === 'string' && /^[A-Za-z0-9_$]{1,64}$/.test(name) ? name : 'Error';
}

/** UUIDv7: what is made together lies together in the ledger. */
export const newTurnId = (): string => uuidv7();
