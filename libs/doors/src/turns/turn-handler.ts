import { rememberedTurn, type SessionState } from '@doorledger/event-log';
import type { References } from '@doorledger/privacy';
import {
  RememberedKeyError,
  newTurnId,
  type Decisions,
  type HandOverFailure,
  type TurnAnswer,
  type TurnRunner,
  type TurnWatch,
} from '@doorledger/turns';
import type { Principal } from '@doorledger/access';
import { deciderOf, partyOf, type Caller } from '../caller.js';
import { Refused } from '../refused.js';
import type { ServedSession } from '../sessions/session-ops.js';
import type { Terminal } from '../wire/terminal.js';
import { answerOfEarlier, endOfTurn, type EarlierTurnOptions } from './earlier-turn.js';
import { idempotencyOf, type ScopedIdempotency } from './idempotency.js';
import type { KnownPersons } from './known-persons.js';
import { TurnFailure } from './turn-failure.js';

export interface TurnHandlerOptions {
  readonly runner: Pick<TurnRunner, 'run'>;
  readonly references: References;
  readonly earlier: EarlierTurnOptions;
  readonly decisions: Pick<Decisions, 'decide'>;
  readonly persons: Pick<KnownPersons, 'named'>;
  /** More than one issuer is trusted: a subject alone names nobody (T2). */
  readonly severalIssuers: boolean;
}

/** Told of a turn from the moment it has its id. */
export interface DoorWatch extends TurnWatch {
  begins(turnId: string, caller: Caller): void;
}

/** A turn whose caller is known. */
export interface TurnAsking {
  readonly input: string;
  readonly caller: Caller;
  readonly session: ServedSession | undefined;
  /** The `Idempotency-Key` as it was sent. */
  readonly idempotencyKey?: string;
  readonly watch?: DoorWatch;
  readonly signal: AbortSignal;
  /** H1 */
  readonly onHandOverFailure?: (failure: HandOverFailure) => void;
  /** O2, before anything else is told of the session. @throws Refused */
  readonly judgeOwner: (state: SessionState) => void;
  /** The message itself, then admission (A1). @throws Refused */
  readonly admit: () => Promise<{ readonly mayWait: boolean }>;
}

/** A decision whose caller is known. */
export interface DecisionAsking extends Pick<TurnAsking, 'caller' | 'idempotencyKey' | 'watch' | 'signal' | 'onHandOverFailure'> {
  /** As it came in (D14). */
  readonly decision: unknown;
  readonly session: ServedSession;
  /** O2, then admission, before anything else is told of the session. @throws Refused */
  readonly judge: (state: SessionState) => Promise<void>;
}

/** Runs turns for the doors. Under an idempotency key the first turn of it is the answer (D18). */
export class TurnHandler {
  constructor(private readonly options: TurnHandlerOptions) {}

  /** @throws Refused; TurnFailure, with the turn that came to be */
  async turn({
    input,
    caller,
    session,
    idempotencyKey,
    watch,
    signal,
    onHandOverFailure,
    judgeOwner,
    admit,
  }: TurnAsking): Promise<Terminal> {
    const { runner, references, earlier, persons } = this.options;
    const idempotency = idempotencyKey === undefined ? undefined : idempotencyOf(idempotencyKey, input, caller, session?.ref, references);
    const turnId = idempotency?.turnId ?? newTurnId();
    try {
      const answer = await runner.run({
        turnId,
        input,
        session,
        signer: caller.userRef,
        tenantRef: caller.tenantRef,
        ...(caller.principal && { party: partyOf(caller.principal), person: this.#personOf(caller.principal) }),
        idempotency: idempotency && { key: idempotency.key, body: idempotency.body },
        mayExist: idempotency?.turnId !== undefined,
        admit: async (state) => {
          judgeOwner(state);
          refuseRemembered(state, idempotency);
          const admitted = await admit();
          await persons.named(caller);
          watch?.begins(turnId, caller);
          return admitted;
        },
        watch,
        onHandOverFailure,
        signal,
      });
      return terminalOfAnswer(answer, turnId, onHandOverFailure);
    } catch (error) {
      if (error instanceof RememberedKeyError) return answerOfEarlier(session?.ref ?? turnId, error.remembered, idempotency!.body, earlier);
      throw error instanceof Refused ? error : new TurnFailure(turnId, error);
    }
  }

  /** The party's own decision (N53): answered with what becomes of the turn. @throws Refused; TurnFailure */
  async decide({ decision, caller, session, idempotencyKey, watch, signal, onHandOverFailure, judge }: DecisionAsking): Promise<Terminal> {
    const { decisions, references, earlier } = this.options;
    const idempotency =
      idempotencyKey === undefined
        ? undefined
        : idempotencyOf(idempotencyKey, JSON.stringify(decision) ?? '', caller, session.ref, references);
    let turnId: string | undefined;
    try {
      const answer = await decisions.decide({
        key: session.ref,
        sent: decision,
        decider: { ...deciderOf(caller), ownsSession: true },
        judge: async (state) => {
          await judge(state);
          turnId = state.paused?.turnId;
          if (turnId !== undefined) watch?.begins(turnId, caller);
        },
        ...(idempotency && { idempotency: { key: idempotency.key, body: idempotency.body } }),
        ...(watch && { watch }),
        onHandOverFailure,
        signal,
      });
      switch (answer.kind) {
        case 'voted':
          return { kind: 'api', status: 202, body: { votes: answer.votes } };
        case 'repeated':
          return await endOfTurn(session.ref, answer.turnId, earlier);
        default:
          return terminalOfAnswer(answer, turnId!, onHandOverFailure);
      }
    } catch (error) {
      if (error instanceof RememberedKeyError) return answerOfEarlier(session.ref, error.remembered, idempotency!.body, earlier);
      if (error instanceof Refused || turnId === undefined) throw error;
      throw new TurnFailure(turnId, error);
    }
  }

  /** T2 */
  #personOf({ tenant, issuer, subject }: Principal): { tenant?: string; principal: string } {
    return { ...(tenant !== undefined && { tenant }), principal: this.options.severalIssuers ? `${issuer}|${subject}` : subject };
  }
}

/** A retry is answered without spending the caller's budget; the fold judges it again (D18). */
function refuseRemembered(state: SessionState, idempotency: ScopedIdempotency | undefined): void {
  if (!idempotency) return;
  const { key, turnId } = idempotency;
  // Without a session the key is the turn itself, and is remembered as long as the turn.
  const at = turnId === undefined ? Date.now() : 0;
  const remembered = rememberedTurn(state, key, at);
  if (remembered) throw new RememberedKeyError(remembered);
}

/** A run's end as its caller hears it. */
export function terminalOfAnswer(answer: TurnAnswer, turnId: string, onHandOverFailure: TurnAsking['onHandOverFailure']): Terminal {
  const { topic, partition, offset } = answer.position;
  const position = `${topic}:${partition}:${offset}`;
  if (answer.kind === 'awaiting') return { kind: 'awaiting', status: 202, ask: answer.ask, turnId, position };
  const { output, artifacts, handOverFailure } = answer;
  if (handOverFailure) onHandOverFailure?.(handOverFailure);
  return { kind: 'complete', output, ...(artifacts.length > 0 && { artifacts }), turnId, position };
}
