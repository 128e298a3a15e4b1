import { askLedger, type LedgerReader, type Row } from '@doorledger/ledger';
import { AppendRefusedError, ClaimUnknownError } from '@doorledger/event-log';
import { TurnError, pendingAsk, type DecisionAnswer, type Decisions } from '@doorledger/turns';
import { UnbindableError, approvalView, closeStatement, mayDecide, parseArguments, unprovenSentence } from '@doorledger/consent';
import type { FactData } from '@doorledger/contracts';
import { deciderOf, isOwner, operatesOn, type Caller } from '../caller.js';
import type { Composer } from '../composer.js';
import { Refused } from '../refused.js';
import { failure, type Terminal } from '../wire/terminal.js';
import type { EarlierCalls } from './earlier-calls.js';
import type { ApiCall } from './host-api.js';
import type { Names } from './names.js';
import { SeenRequests, type SeenRequestsOptions } from './seen-requests.js';

export interface ConsentApiOptions extends SeenRequestsOptions {
  readonly composer: Pick<Composer, 'callerOf'>;
  readonly decisions: Pick<Decisions, 'decide' | 'close'>;
  /** The log's identity (K8). */
  readonly logId: string;
  readonly ledger: Pick<LedgerReader, 'consent'>;
  readonly earlier: Pick<EarlierCalls, 'before'>;
  readonly names: Pick<Names, 'personOf'>;
  /** Somebody else than the party was shown content (P4). */
  readonly onRead: (read: FactData<'content.read'>) => void;
  /** Told of a turn that failed after its decision had been answered. */
  readonly onTurnFailed: (error: unknown) => void;
}

/** A decision as it came in: its fields, and the bytes they were read from. */
export interface SentDecision {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array;
}

/** Approvers' decisions at whichever host, by N50 and not by who owns the session (N53). */
export class ConsentApi {
  readonly #seen: SeenRequests;

  constructor(private readonly options: ConsentApiOptions) {
    this.#seen = new SeenRequests(options);
  }

  /** Answers when the spend or the vote stands; the turn goes on in its party's name. @throws Refused; TurnError */
  async decide(requestId: string, { fields, body }: SentDecision, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const { composer, decisions, onTurnFailed } = this.options;
    const caller = await composer.callerOf(presented, signal, trace);
    const row = await this.#request(requestId);
    const { session_key: key } = row;
    trace.sessionRef = key;
    if (!(await this.#seen.isSeenBy(caller, row))) throw noSuchRequest();
    refuseOther(fields, requestId);
    if (fields.changes !== undefined) refuseUnfaithful(body);
    const wanted = fields.approved === true ? 'approved' : 'declined';
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const answered = (terminal: Terminal) => {
        isAnswered = true;
        resolve(terminal);
      };
      decisions
        .decide({
          key,
          sent: { ...fields, requestId },
          decider: deciderOf(caller),
          signal: new AbortController().signal,
          onSettled: (turnId, verdict, settled) => answered(verdict === wanted ? decided(settled, verdict, turnId) : lost(verdict)),
        })
        .then((answer) => isAnswered || answered(terminalOf(requestId, answer)))
        .catch((error: unknown) => (isAnswered ? onTurnFailed(error) : reject(error as Error)));
    });
  }

  /** By the party, a decider or an operator of the party's tenant (P1, P5). What stands as closed never ran and never can (N31). @throws Refused; TurnError */
  async close(requestId: string, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const { composer, decisions } = this.options;
    const caller = await composer.callerOf(presented, signal, trace);
    const { session_key: key, tenant_ref: tenantRef, ledger } = await this.#request(requestId);
    trace.sessionRef = key;
    if (!operatesOn(caller, tenantRef) && !(await this.#mayClose(key, caller))) throw noSuchRequest();
    const verdict = await decisions.close(key, requestId, 'withdrawn', caller.userRef).catch((error: unknown) => notClosed(error));
    if (verdict !== 'closed') return lost(verdict, { why: 'settled' });
    const proof = closeStatement({
      ids: [{ id: requestId, row: { status: verdict, isNotRun: false } }],
      ...(ledger !== null && { mintedUnder: ledger }),
      ledger: this.options.logId,
    });
    const said = proof.isProven
      ? { proven: true }
      : { proven: false, why: proof.why, ...('sentence' in proof && { sentence: proof.sentence }) };
    return { kind: 'api', status: 200, body: { requestId, verdict, ...said } };
  }

  /**
   * The exact call that waits, whole, for whoever may decide on it (N51); that somebody else than the party read it is a fact (P4).
   * @throws Refused; TurnError
   */
  async call(requestId: string, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const { composer, pauseOf, onRead } = this.options;
    const caller = await composer.callerOf(presented, signal, trace);
    const { session_key: key, party_ref: partyRef } = await this.#request(requestId);
    const held = await this.options.view.hold(key);
    try {
      const { paused: waiting, owner } = held.state;
      const paused = waiting?.requestId === requestId ? await pauseOf(key, held) : undefined;
      if (!paused?.request) throw noSuchRequest();
      const isOwn = isOwner(owner, caller);
      const { call } = paused.request;
      const mayDecideAny = [true, false].some((approved) => mayDecide(deciderOf(caller), call.party, paused.terms.policy, approved));
      if (!isOwn && !mayDecideAny) throw noSuchRequest();
      if (!isOwn && caller.userRef !== undefined) onRead({ by: caller.userRef, sessionRef: key, what: 'arguments' });
      const { text, digest } = approvalView({ requestId, call });
      const asker = call.party.subject === undefined || partyRef === null ? undefined : await this.options.names.personOf(partyRef);
      const ask = pendingAsk(waiting!.turnId, paused, waiting!.votes);
      return { kind: 'api', status: 200, body: { ...ask, text, digest, ...(asker && { asker }) } };
    } finally {
      held.release();
    }
  }

  /** To compare with: the call of its tool that was approved last before it, for whoever may decide on that one. @throws Refused */
  async previous(requestId: string, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const caller = await this.options.composer.callerOf(presented, signal, trace);
    const row = await this.#request(requestId);
    trace.sessionRef = row.session_key;
    if (!(await this.#seen.isSeenBy(caller, row))) throw noSuchRequest();
    const found = await this.options.earlier.before(requestId, caller);
    if (!found) throw new Refused(failure('ERR_NOT_FOUND', 'No call of this tool was approved before, or none that is yours to see.'));
    return { kind: 'api', status: 200, body: found };
  }

  /** Who asked may have passed the id on before the ledger has read the request. */
  async #request(requestId: string): Promise<Row<'consent'>> {
    if (!/^[0-9a-f]{64}$/.test(requestId)) throw noSuchRequest();
    const row = await askLedger(() => this.options.ledger.consent(requestId));
    if (!row) throw noSuchRequest();
    return row;
  }

  async #mayClose(key: string, caller: Caller): Promise<boolean> {
    const { view, pauseOf } = this.options;
    const held = await view.hold(key);
    try {
      if (isOwner(held.state.owner, caller)) return true;
      const paused = await pauseOf(key, held);
      return paused?.request !== undefined && mayDecide(deciderOf(caller), paused.request.call.party, paused.terms.policy, false);
    } finally {
      held.release();
    }
  }
}

const decided = (requestId: string, verdict: string, turnId: string): Terminal => ({
  kind: 'api',
  status: 200,
  body: { requestId, verdict, turnId },
});

/** A decision that quotes another request than its path is none. @throws Refused */
function refuseOther(fields: Readonly<Record<string, unknown>>, requestId: string): void {
  if ((fields.requestId ?? requestId) === requestId) return;
  throw new Refused(failure('ERR_DECISION_REQUIRED', 'The decision quotes another requestId than its address.'));
}

/** N4, N55: arguments that a person writes are checked as text, before a parser has changed them. @throws Refused */
function refuseUnfaithful(body: Uint8Array): void {
  try {
    parseArguments(Buffer.from(body).toString('utf8'));
  } catch (error) {
    if (!(error instanceof UnbindableError)) throw error;
    const { code, path } = error;
    throw new Refused(failure('ERR_DECISION_REQUIRED', `The changed arguments cannot be approved as they are (${code} at ${path}).`));
  }
}

function terminalOf(requestId: string, answer: DecisionAnswer): Terminal {
  if (answer.kind === 'voted') return { kind: 'api', status: 202, body: { requestId: answer.requestId, votes: answer.votes } };
  if (answer.kind === 'repeated') return decided(requestId, answer.verdict, answer.turnId);
  throw new TurnError('ERR_CONCURRENT_RUN', 'The turn went on without this decision.');
}

/** Another record settled the request first (N12). */
function lost(standing: string, more: object = {}): Terminal {
  const reason = standing === 'closed' ? 'closed-by-host' : standing === 'expired' ? 'expired' : 'already-answered';
  return failure('ERR_RESUME_REFUSED', 'This request was settled by another record first.', { details: { reason, standing, ...more } });
}

/** N33: a close whose append failed, or may have. @throws Refused, what else was thrown */
function notClosed(error: unknown): never {
  const isRefused = error instanceof AppendRefusedError;
  if (!isRefused && !(error instanceof ClaimUnknownError)) throw error;
  const why = isRefused ? 'close-failed' : 'close-indefinite';
  throw new Refused(failure('ERR_LOG_UNAVAILABLE', unprovenSentence(why), { details: { proven: false, why } }));
}

const noSuchRequest = (): Refused => new Refused(failure('ERR_NOT_FOUND', 'There is no such request.'));
