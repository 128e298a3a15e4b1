import type { Effect, StoredRecord } from '@doorledger/event-log';
import type { ConsentCheck } from './consent-check.js';
import type { Scratch, ScratchMap } from './sqlite-scratch.js';
import type { Statement, Violation, ViolationPlace } from './violation.js';

interface KnownCall {
  readonly attempt: number;
  readonly place: ViolationPlace;
  /** How that attempt ended, once it has. */
  readonly outcome?: string;
}

type Dispatched = Extract<Effect, { kind: 'call-dispatched' }>;

/** Calls by their ids, over all runs and sessions: what was sent once, and on whose word. */
export class CallCheck {
  readonly #calls: ScratchMap<KnownCall>;
  readonly #consents: ConsentCheck;

  constructor(scratch: Scratch, consents: ConsentCheck) {
    this.#calls = scratch.map();
    this.#consents = consents;
  }

  take(effect: Effect, record: StoredRecord, place: ViolationPlace): Violation | undefined {
    switch (effect.kind) {
      case 'call-dispatched':
        return this.#dispatched(effect, record, place);
      case 'call-ended':
        return this.#ended(effect.callId, effect.outcome);
      case 'call-resolved':
        return this.#ended(effect.callId, effect.verdict);
      default:
        return undefined;
    }
  }

  /** A host that tells how a call went which it had no standing dispatch for has acted on a void one. */
  takeVoid({ decoded: { type, body } }: StoredRecord, place: ViolationPlace): Violation | undefined {
    if (type !== 'tool-call.finished' || !body) return undefined;
    const { callId, attempt, outcome } = body.data;
    if (typeof callId !== 'string' || typeof attempt !== 'number' || (outcome !== 'ok' && outcome !== 'error')) return undefined;
    const known = this.#calls.get(callId);
    if (known && known.attempt >= attempt) return undefined;
    return violation('one-dispatch', 'A call went to its tool without a standing dispatch.', known ? [known.place, place] : [place]);
  }

  #dispatched(effect: Dispatched, record: StoredRecord, place: ViolationPlace): Violation | undefined {
    const { callId, attempt } = effect;
    const known = this.#calls.get(callId);
    if (known && attempt <= known.attempt)
      return violation('one-dispatch', 'One attempt of a call was dispatched twice.', [known.place, place]);
    if (known && known.outcome !== 'not-sent')
      return violation('one-dispatch', 'An attempt of a call follows one that did not end `not-sent`.', [known.place, place]);
    this.#calls.set(callId, { attempt, place });
    return this.#gate(effect, record, place);
  }

  #gate({ requestId, callId, turnId, runId }: Dispatched, { decoded }: StoredRecord, place: ViolationPlace): Violation | undefined {
    const { gated, spend: cited, server, tool } = decoded.body?.data ?? {};
    if (gated !== true && requestId === undefined) return undefined;
    const request = requestId === undefined ? undefined : this.#consents.get(requestId);
    const spend = request?.spend;
    if (spend?.verdict === 'closed')
      return violation('no-dispatch-after-close', 'A call was dispatched after its request had been closed.', [spend.place, place]);
    const isCited = spend?.verdict === 'approved' && isAt(cited, spend.place) && (spend.claimId ?? runId) === runId;
    const isIts = request?.turnId === turnId && request.callId === callId && request.server === server && request.tool === tool;
    if (isCited && isIts) return undefined;
    const positions = spend ? [spend.place, place] : [place];
    return violation(
      'approved-spend',
      'A gated call was dispatched without a standing approved spend of its own turn, for that very call.',
      positions,
    );
  }

  #ended(callId: string, outcome: string): undefined {
    const known = this.#calls.get(callId);
    if (known) this.#calls.set(callId, { ...known, outcome });
  }
}

function isAt(cited: unknown, { partition, offset }: ViolationPlace): boolean {
  const at = cited as { readonly partition?: unknown; readonly offset?: unknown } | null | undefined;
  return at?.partition === partition && at.offset === offset;
}

const violation = (statement: Statement, sentence: string, positions: readonly ViolationPlace[]): Violation => ({
  statement,
  sentence,
  positions,
});
