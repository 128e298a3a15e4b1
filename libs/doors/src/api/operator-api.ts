import { randomUUID } from 'node:crypto';
import { encode, eventOf, topics, type EventOrigin, type Fact } from '@doorledger/contracts';
import { AppendIndefiniteError, appendUntilDurable, type Claims, type EventLog, type Met, type SessionView } from '@doorledger/event-log';
import type { Freeze, LedgerReader } from '@doorledger/ledger';
import type { References } from '@doorledger/privacy';
import type { Decisions, FreezeBook } from '@doorledger/turns';
import { UpkeepError, hasReadAll, readErasure, type ErasureReceipt, type ErasureTarget } from '@doorledger/upkeep';
import type { Composer } from '../composer.js';
import { isOperator } from '../caller.js';
import { Refused } from '../refused.js';
import { isDoorErrorCode } from '../wire/error-table.js';
import { failure, type Terminal } from '../wire/terminal.js';
import type { ApiCall } from './host-api.js';
import { isRef, isUuid, readFreeze, readLift, readNothing, readReconciliation } from './operator-asks.js';

export interface OperatorApiOptions {
  readonly composer: Pick<Composer, 'callerOf'>;
  readonly references: References;
  readonly freezes: Pick<FreezeBook, 'live' | 'stateOf' | 'met'>;
  readonly log: Pick<EventLog, 'append' | 'ends'>;
  readonly origin: EventOrigin;
  readonly claims: Pick<Claims, 'append'>;
  readonly view: Pick<SessionView, 'hold'>;
  readonly decisions: Pick<Decisions, 'close'>;
  readonly ledger: Pick<LedgerReader, 'positions' | 'toolCall' | 'pendingConsentsOf'>;
  /** Ends the grants that a person gave or was given. */
  readonly revokeGrantsOf: (userRef: string, by: string) => Promise<void>;
  readonly erase: (target: ErasureTarget, by: string) => Promise<ErasureReceipt>;
}

type Fields = Readonly<Record<string, unknown>>;

const SAY_MS = 5000;
/** How long the own tail may take to meet what the log has confirmed. */
const TAIL_MS = 2000;
/** P3: how long the ledger is waited for. */
const LEDGER_MS = 2000;

/** Who acts where nobody is checked: a person that no issuer can name. */
const NOBODY = { subject: 'open-door' };

/** What operators do to a running deployment (P5, P6). Each call throws Refused or resolves to its terminal. */
export class OperatorApi {
  constructor(private readonly options: OperatorApiOptions) {}

  /** Answers when the freeze is on the log and holds here; every other host heeds it once its tail has met it. */
  async freeze(fields: Fields, call: ApiCall): Promise<Terminal> {
    const by = await this.#operator(call);
    const data = { freezeId: randomUUID(), ...readFreeze(fields, this.options.references), by };
    await this.#say(`freeze/${data.freezeId}`, { type: 'freeze.set', data });
    await this.#met(data.freezeId, 'live');
    return { kind: 'api', status: 201, body: { freezeId: data.freezeId } };
  }

  async lift(freezeId: string, fields: Fields, call: ApiCall): Promise<Terminal> {
    const { freezes } = this.options;
    const by = await this.#operator(call);
    const said = readLift(fields);
    const state = freezes.stateOf(freezeId);
    if (!state) throw notFound('There is no such freeze.');
    if (state === 'live') await this.#say(`freeze/${freezeId}`, { type: 'freeze.lifted', data: { freezeId, by, ...said } });
    await this.#met(freezeId, 'lifted');
    return { kind: 'api', status: 200, body: { freezeId, lifted: true } };
  }

  /** The freezes in force, as this host obeys them. */
  async freezes(call: ApiCall): Promise<Terminal> {
    await this.#operator(call);
    return { kind: 'api', status: 200, body: { items: this.options.freezes.live.map(shown) } };
  }

  /** A person's word on a call of which nobody knows the end (N22). */
  async reconcile(callId: string, fields: Fields, call: ApiCall): Promise<Terminal> {
    const { ledger, view, claims } = this.options;
    const by = await this.#operator(call);
    const { verdict, attempt: named, ...said } = readReconciliation(fields);
    const row = isUuid(callId) ? await ledger.toolCall(callId) : undefined;
    if (!row) throw notFound('There is no such tool call.');
    const { session_key: key } = row;
    call.trace.sessionRef = key;
    const attempt = named ?? row.attempt!;
    const held = await view.hold(key);
    try {
      const [met] = await claims.append(key, [{ type: 'tool-call.reconciled', data: { callId, attempt, verdict, by, ...said } }]);
      if (!met!.verdict.stands) throw await this.#settled(met!, callId, attempt);
      return { kind: 'api', status: 200, body: { callId, attempt, verdict } };
    } finally {
      held.release();
    }
  }

  /** T21: ends a person's sign-in: conversations and tool sessions on every host, and what their turns wait for. */
  async revoke(userRef: string, fields: Fields, call: ApiCall): Promise<Terminal> {
    const { ledger, decisions } = this.options;
    const by = await this.#operator(call);
    readNothing(fields);
    if (!isRef(userRef)) throw notFound('There is no such person: a userRef has 32 hex digits.');
    await this.#say(`user/${userRef}`, { type: 'identity.revoked', data: { userRef, by } });
    await this.options.revokeGrantsOf(userRef, by);
    const isWhole = await hasReadAll(this.options.log, ledger, topics.session.name, LEDGER_MS);
    const pending = await ledger.pendingConsentsOf(userRef);
    const verdicts = await Promise.all(pending.map(({ sessionKey, requestId }) => decisions.close(sessionKey, requestId, 'revoked', by)));
    if (!isWhole)
      throw new Refused(
        failure(
          'ERR_LEDGER_BEHIND',
          'The sign-in is revoked, but the ledger is behind and may not know of every request. Revoke once more.',
        ),
      );
    const consentsClosed = verdicts.filter((verdict) => verdict === 'closed').length;
    return { kind: 'api', status: 200, body: { revoked: true, consentsClosed } };
  }

  /** X2: what a session or a person said can never be read again. Answers with the receipt, once all of it is done. */
  async erase(fields: Fields, call: ApiCall): Promise<Terminal> {
    const by = await this.#operator(call);
    try {
      const target = readErasure(fields, this.options.references);
      if (target.kind === 'session') call.trace.sessionRef = target.ref;
      return { kind: 'api', status: 200, body: { ...(await this.options.erase(target, by)) } };
    } catch (error) {
      if (!(error instanceof UpkeepError) || !isDoorErrorCode(error.code)) throw error;
      throw new Refused(failure(error.code, error.message));
    }
  }

  /** Who acts, as a fact names them. At a door that checks nobody everybody may. @throws Refused */
  async #operator({ presented, signal, trace }: ApiCall): Promise<string> {
    const { composer, references } = this.options;
    const caller = await composer.callerOf(presented, signal, trace);
    if (!isOperator(caller))
      throw new Refused(
        failure(
          'ERR_ROLE_REQUIRED',
          'This is for operators: the token has to name the role "operator" and, where there are tenants, the tenant "*".',
        ),
      );
    return caller.userRef ?? references.userRef(NOBODY);
  }

  async #say(key: string, fact: Fact): Promise<void> {
    const { log, origin } = this.options;
    const until = performance.now() + SAY_MS;
    const record = { key, ...encode(eventOf(fact, origin)) };
    try {
      await appendUntilDurable(log, topics.system.name, [record], () => performance.now() > until);
    } catch (error) {
      if (!(error instanceof AppendIndefiniteError)) throw error;
      throw new Refused(
        failure('ERR_LOG_UNAVAILABLE', 'The log did not confirm this in time; it may hold all the same. Look, or try again.'),
      );
    }
  }

  /** The own tail has met it: it holds here, and everywhere else as soon. */
  async #met(freezeId: string, state: 'live' | 'lifted'): Promise<void> {
    if (!(await this.options.freezes.met(freezeId, state, TAIL_MS)))
      throw new Refused(failure('ERR_LOG_UNAVAILABLE', 'The log holds this, but this host has not read it yet. Look again soon.'));
  }

  /** Why a word on a call does not count. */
  async #settled({ verdict, state }: Met, callId: string, attempt: number): Promise<Error> {
    if ('reason' in verdict && verdict.reason === 'blocked')
      return new Refused(
        failure('ERR_SESSION_BLOCKED', 'A record of this session cannot be read. Mend it with "doorledger repair" first.'),
      );
    const isIt = (one: { callId: string; attempt: number }) => one.callId === callId && one.attempt === attempt;
    const standing = (await this.options.ledger.toolCall(callId))?.status;
    const isJudged =
      standing === 'ran' ||
      standing === 'did-not-run' ||
      state.unresolved.some((one) => isIt(one) && one.isReconciled) ||
      state.run?.calls.some((one) => isIt(one) && one.status === 'reconciled');
    const details = { reason: isJudged ? 'conflict' : 'not-open', standing };
    const sentence = isJudged
      ? 'Somebody has said before what became of this call; the first word counts.'
      : 'This attempt of the call is not open: its end is known, or it was never sent.';
    return new Refused(failure('ERR_CALL_SETTLED', sentence, { details }));
  }
}

const shown = ({ setAt, ...freeze }: Freeze): object => ({ ...freeze, setAt: new Date(setAt).toISOString() });
const notFound = (sentence: string): Refused => new Refused(failure('ERR_NOT_FOUND', sentence));
