import type { Citation, SessionState, SessionView } from '@doorledger/event-log';
import type { References } from '@doorledger/privacy';
import type { Admit } from './admission/admission.js';
import type { ArtifactOps } from './artifacts/artifact-ops.js';
import { callerOf, type Caller } from './caller.js';
import { unidentified, type Identified, type Identify, type Presented } from '@doorledger/access';
import { isMintedId } from './ownership/minted-id.js';
import { isServed, type NewSessions } from './ownership/ownership.js';
import { Refused, noSuchSession } from './refused.js';
import type { ServedSession, SessionOps } from './sessions/session-ops.js';
import type { Trace } from './trace.js';
import type { DoorWatch, TurnHandler } from './turns/turn-handler.js';
import type { Asked } from './wire/asked.js';
import { failure, type Failure, type Terminal } from './wire/terminal.js';

const unheeded = new AbortController().signal;
const notVerified = failure(unidentified.refused.code, unidentified.refused.error);

export interface ComposerOptions {
  readonly references: References;
  /** Judges who asks (I1–I8); never throws. */
  readonly identify: Identify;
  readonly newSessions: NewSessions;
  /** A1; `broken` where the policy gave no verdict (A2). */
  readonly admission?: Admit;
  readonly view: Pick<SessionView, 'hold'>;
  readonly ops: SessionOps;
  readonly artifacts: Pick<ArtifactOps, 'serve'>;
  readonly turns: Pick<TurnHandler, 'turn' | 'decide'>;
}

/** A request whose grammar is right, whatever door it came by. */
export interface Asking {
  readonly asked: Asked;
  readonly presented: Presented;
  /** The `Idempotency-Key` as it was sent (D18). */
  readonly idempotencyKey?: string;
  readonly watch?: DoorWatch;
  readonly signal: AbortSignal;
}

/** A handshake whose grammar is right (C1). */
export interface Entering {
  readonly presented: Presented;
  readonly sessionId: string | undefined;
}

/** Judges a request in the order of D5 from identity on, and runs what it asks for. */
export class Composer {
  constructor(private readonly options: ComposerOptions) {}

  /**
   * Fills `trace` with what may be recorded of the request, as it becomes known. A caller who bears nothing is refused at once: a flood
   * of them is answered from here. @throws Refused, TurnFailure, what the work threw
   */
  serve(asking: Asking, trace: Trace): Terminal | Promise<Terminal> {
    const { asked, presented } = asking;
    const { references, identify } = this.options;
    if (asked.sessionId !== undefined) trace.sessionRef = references.sessionRef(undefined, asked.sessionId);
    const identified = identify(presented, presented.bearer === undefined ? unheeded : asking.signal);
    if ('kind' in identified && identified.kind === 'refused') return this.#unidentified(identified, trace);
    return this.#serve(asking, identified, trace);
  }

  async #serve(asking: Asking, identified: Identified | Promise<Identified>, trace: Trace): Promise<Terminal> {
    const { asked } = asking;
    const caller = this.#callerFrom(await identified, trace);
    const session = asked.sessionId === undefined ? undefined : this.sessionOf(asked.sessionId, caller, trace);
    switch (asked.kind) {
      case 'turn':
        return this.#turn(asking, asked.input, session, caller, trace);
      case 'session-op':
        return this.#sessionOp(asked, session, caller);
      case 'decision':
        if (!session) return failure('ERR_NO_PENDING_ASK', 'Nothing waits for a decision here.');
        return this.#decide(asking, asked.decision, session, caller, trace);
      case 'artifact-op':
        if (!session) return failure('ERR_ARTIFACT_SESSION_REQUIRED', 'Name the session that the artifact belongs to.');
        return this.owned(session, caller, (_state, citations) => this.options.artifacts.serve(asked, { ref: session.ref, citations }));
    }
  }

  /** C4: who begins a conversation, and whether the session it names serves them. @throws Refused */
  async enter({ presented, sessionId }: Entering, signal: AbortSignal, trace: Trace): Promise<Caller> {
    if (sessionId !== undefined) trace.sessionRef = this.options.references.sessionRef(undefined, sessionId);
    const caller = await this.callerOf(presented, signal, trace);
    if (sessionId !== undefined) await this.owned(this.sessionOf(sessionId, caller, trace), caller, async () => {});
    return caller;
  }

  /** I1–I8. @throws Refused 401 or 503 */
  async callerOf(presented: Presented, signal: AbortSignal, trace: Trace): Promise<Caller> {
    return this.#callerFrom(await this.options.identify(presented, signal), trace);
  }

  #callerFrom(identified: Identified, trace: Trace): Caller {
    if (identified.kind === 'unavailable') throw new Refused(failure(unidentified.unavailable.code, unidentified.unavailable.error));
    if (identified.kind === 'refused') throw new Refused(this.#unidentified(identified, trace));
    const caller = callerOf(identified, this.options.references);
    if (caller.userRef !== undefined) trace.userRef = caller.userRef;
    if (caller.tenantRef !== undefined) trace.tenantRef = caller.tenantRef;
    return caller;
  }

  #unidentified({ failure: why, claimedUser, proven }: Extract<Identified, { kind: 'refused' }>, trace: Trace): Failure {
    trace.identityFailure = why;
    if (claimedUser) trace.claimedUser = true;
    if (proven) trace.userRef = this.options.references.userRef(proven);
    if (proven?.tenant !== undefined) trace.tenantRef = this.options.references.tenantRef(proven.tenant);
    return notVerified;
  }

  sessionOf(id: string, { tenant }: Caller, trace: Trace): ServedSession {
    const ref = this.options.references.sessionRef(tenant, id);
    trace.sessionRef = ref;
    return { id, ref };
  }

  #turn(
    { idempotencyKey, watch, signal }: Asking,
    input: string,
    session: ServedSession | undefined,
    caller: Caller,
    trace: Trace,
  ): Promise<Terminal> {
    return this.options.turns.turn({
      input,
      caller,
      session,
      idempotencyKey,
      watch,
      signal,
      onHandOverFailure: (failure) => (trace.turnArtifactsFailure = failure),
      judgeOwner: (state) => session && this.#refuseForeign(state, session, caller),
      admit: () => {
        if (input === '') throw new Refused(failure('ERR_INVALID_RUN_INPUT', 'The message is empty: send {"input": "…"} with a text.'));
        return this.#admit(session, caller, trace);
      },
    });
  }

  #decide(
    { idempotencyKey, watch, signal }: Asking,
    decision: unknown,
    session: ServedSession,
    caller: Caller,
    trace: Trace,
  ): Promise<Terminal> {
    return this.options.turns.decide({
      decision,
      caller,
      session,
      idempotencyKey,
      watch,
      signal,
      onHandOverFailure: (failure) => (trace.turnArtifactsFailure = failure),
      judge: async (state) => {
        this.#refuseForeign(state, session, caller);
        await this.#admit(session, caller, trace);
      },
    });
  }

  async #admit(session: ServedSession | undefined, caller: Caller, trace: Trace): Promise<{ readonly mayWait: boolean }> {
    const verdict = await this.options.admission?.({
      ...(caller.principal && { principal: caller.principal }),
      ...(session && { sessionId: session.id }),
      userKey: caller.userRef ?? 'anonymous',
    });
    if (verdict?.kind === 'broken') throw new Error('The admission policy gave no verdict.', { cause: verdict.error });
    if (verdict) trace.admission = verdict.kind;
    if (verdict?.kind === 'refuse')
      throw new Refused(failure('ERR_ADMISSION_REFUSED', verdict.sentence, { headers: { 'retry-after': String(verdict.retryAfterS) } }));
    return { mayWait: verdict?.kind === 'queue' };
  }

  #refuseForeign(state: SessionState, { id }: ServedSession, caller: Caller): void {
    const { references, newSessions } = this.options;
    if (!isServed(state, caller, { isMinted: isMintedId(id, references), newSessions })) throw noSuchSession();
  }

  async #sessionOp(
    { op, cursor }: Extract<Asked, { kind: 'session-op' }>,
    session: ServedSession | undefined,
    caller: Caller,
  ): Promise<Terminal> {
    const { ops } = this.options;
    if (!caller.isVerified)
      return failure('ERR_SESSION_OP_NEEDS_IDENTITY', 'This door does not check who asks, so it serves no session operations.');
    if (op === 'session-list') return ops.list(caller, cursor);
    return this.owned(session!, caller, async (state) => {
      if (state.lastRunId === null) throw noSuchSession();
      if (op === 'session-transcript') return ops.transcript(session!);
      return op === 'session-close' ? ops.close(session!, caller) : ops.pending(session!);
    });
  }

  /** Runs `work` while a session that serves this caller is held (O2). @throws Refused */
  async owned<T>(
    session: ServedSession,
    caller: Caller,
    work: (state: SessionState, citations: readonly Citation[]) => Promise<T>,
  ): Promise<T> {
    const held = await this.options.view.hold(session.ref);
    try {
      this.#refuseForeign(held.state, session, caller);
      return await work(held.state, held.citations);
    } finally {
      held.release();
    }
  }
}
