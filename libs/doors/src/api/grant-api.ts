import {
  GrantPatternError,
  exactPattern,
  loosenessOf,
  mayDecide,
  type ApproverPolicy,
  type GrantPattern,
  type JsonObject,
  type Party,
} from '@doorledger/consent';
import type { SessionView } from '@doorledger/event-log';
import { askLedger, type LedgerReader } from '@doorledger/ledger';
import type { References } from '@doorledger/privacy';
import {
  compileGrantPattern,
  type DecisionsOptions,
  type Gates,
  type GrantBook,
  type Grants,
  type LiveGrant,
  type NewGrant,
} from '@doorledger/turns';
import { isOperator, deciderOf, partyOf, type Caller } from '../caller.js';
import type { Composer } from '../composer.js';
import { Refused } from '../refused.js';
import { failure, type Terminal } from '../wire/terminal.js';
import { noSuchGrant, readGrant, readGrantId, type GrantAsk } from './grant-asks.js';
import type { ApiCall } from './host-api.js';

export interface GrantApiOptions {
  readonly composer: Pick<Composer, 'callerOf'>;
  readonly references: References;
  readonly grants: Pick<Grants, 'create' | 'revoke' | 'patternOf'>;
  readonly book: Pick<GrantBook, 'of' | 'all' | 'live'>;
  readonly gates: Pick<Gates, 'terms'>;
  readonly servers: Pick<DecisionsOptions['servers'], 'tools'>;
  readonly view: Pick<SessionView, 'hold'>;
  readonly pauseOf: DecisionsOptions['pauseOf'];
  readonly ledger: Pick<LedgerReader, 'consent' | 'grant'>;
  readonly now: () => number;
}

/** What is to be remembered, once it is known that the caller may say so. `seen`: the arguments it was made from. */
interface Meant {
  readonly terms: Omit<NewGrant, 'pattern' | 'until' | 'count'>;
  readonly pattern: GrantPattern;
  readonly seen?: JsonObject;
}

/** Bounds the memory of every host, and what one gated call looks through. */
const MAX_LIVE = 100;
/** A list answers with the newest. */
const MAX_ITEMS = 500;

/** Remembered grants (N52, P5). Each call throws Refused or TurnError, or resolves to its terminal. */
export class GrantApi {
  constructor(private readonly options: GrantApiOptions) {}

  /** By the party for itself where the gates let it decide, by an approver for others; answers when the grant is in force here. */
  async create(fields: Readonly<Record<string, unknown>>, call: ApiCall): Promise<Terminal> {
    const { grants, book, now } = this.options;
    const caller = await this.#caller(call);
    const ask = readGrant(fields, now());
    const { terms, pattern, seen } = 'requestId' in ask ? await this.#ofRequest(ask, caller, call) : this.#ofTool(ask, caller);
    if (book.of(terms.owner.ref, now()).length >= MAX_LIVE)
      throw invalid(`There are ${MAX_LIVE} grants in force for this person already. Revoke some first.`);
    const { until, count } = ask;
    const bounds = { ...(until !== undefined && { until }), ...(count !== undefined && { count }) };
    const grantId = await grants.create({ ...terms, ...bounds, pattern });
    const { server, tool } = terms;
    const shown = { grantId, server, tool, schemaHash: pattern.schemaHash, ...datesOf(bounds) };
    return { kind: 'api', status: 201, body: { ...shown, ...(seen && { looseness: loosenessOf(pattern, seen) }) } };
  }

  /** Grants in force, as this host knows them: one's own and those one gave, and for operators all. Patterns only to whom they cover. */
  async list(call: ApiCall): Promise<Terminal> {
    const { book, grants, now } = this.options;
    const caller = await this.#caller(call);
    const live = isOperator(caller) ? book.all(now()) : book.of(caller.userRef ?? '', now());
    live.sort((a, b) => b.createdAt - a.createdAt);
    const items = live.slice(0, MAX_ITEMS).map(async (grant) => {
      const isOwn = !caller.isVerified || grant.userRef === caller.userRef;
      const pattern = isOwn ? (await grants.patternOf(grant))?.schema : undefined;
      return { ...shownOf(grant), ...(pattern && { pattern }) };
    });
    return { kind: 'api', status: 200, body: { items: await Promise.all(items) } };
  }

  /** By whom it covers, by whom it was given, or by an operator. Answers when it covers nothing here any more. */
  async revoke(id: string, call: ApiCall): Promise<Terminal> {
    const { grants, book, ledger, now, references } = this.options;
    const caller = await this.#caller(call);
    const grantId = readGrantId(id);
    const live = book.live(grantId, now());
    const known = live ?? (await ledger.grant(grantId))?.find((record) => record.type === 'grant.created')?.data;
    const mayRevoke = isOperator(caller) || (known && [known.userRef, known.by].includes(caller.userRef ?? ''));
    if (!known || !mayRevoke) throw noSuchGrant();
    if (live) await grants.revoke(grantId, caller.userRef ?? references.userRef(NOBODY));
    return { kind: 'api', status: 200, body: { grantId, inForce: false } };
  }

  /** One click: the very call that waits, or as much around it as the pattern says. */
  async #ofRequest(ask: Extract<GrantAsk, { requestId: string }>, caller: Caller, { trace }: ApiCall): Promise<Meant> {
    const { view, pauseOf } = this.options;
    const { requestId } = ask;
    const row = await this.#row(requestId);
    const { session_key: key } = row;
    const party = row.party_ref!;
    trace.sessionRef = key;
    const held = await view.hold(key);
    try {
      const paused = held.state.paused?.requestId === requestId ? await pauseOf(key, held) : undefined;
      if (!paused?.request) throw noSuchRequest();
      const { call } = paused.request;
      refuseUnlessDecider(caller, call.party, [paused.terms.policy], noSuchRequest);
      // The grant will stand before every gate of the tool, not before this one alone.
      const policies = this.options.gates.terms(call.server, call.tool).map(({ policy }) => policy);
      refuseUnlessDecider(caller, call.party, policies, notYours);
      const pattern = compiled(ask.pattern ?? exactPattern(call.args));
      if (!pattern.matches(call.args)) throw invalid('The pattern does not match the call that waits.');
      const { server, tool, toolHash } = call;
      const owner = { kind: party === key ? 'session' : 'person', ref: party } as const;
      return { terms: { owner, server, tool, toolHash, by: caller.userRef ?? party }, pattern, seen: call.args };
    } finally {
      held.release();
    }
  }

  /** Who asked may have passed the id on before the ledger has read the request. */
  async #row(requestId: string) {
    const row = await askLedger(async () => {
      const read = await this.options.ledger.consent(requestId);
      return read?.party_ref ? read : undefined;
    });
    if (!row) throw noSuchRequest();
    return row;
  }

  #ofTool({ server, tool, pattern, user }: Extract<GrantAsk, { server: string }>, caller: Caller): Meant {
    const { references, gates, servers } = this.options;
    const { principal, userRef: by } = caller;
    if (!principal || by === undefined) throw invalid('This door does not know who asks, so name the requestId of a call that waits.');
    const offered = servers.tools().find((one) => one.server === server && one.tool === tool);
    if (!offered) throw invalid('No tool server offers this tool.');
    const { tenant, issuer } = principal;
    const person = user === undefined ? principal : { issuer, ...(tenant !== undefined && { tenant }), subject: user };
    const terms = gates.terms(server, tool);
    if (terms.length === 0) throw invalid('Nobody is asked before this tool runs, so there is nothing to remember.');
    refuseUnlessDecider(
      caller,
      partyOf({ ...principal, subject: person.subject }),
      terms.map(({ policy }) => policy),
      notYours,
    );
    const owner = { kind: 'person', ref: references.userRef(person) } as const;
    return { terms: { owner, server, tool, toolHash: offered.hash, by }, pattern: compiled(pattern) };
  }

  #caller({ presented, signal, trace }: ApiCall): Promise<Caller> {
    return this.options.composer.callerOf(presented, signal, trace);
  }
}

/** Who acts where nobody is checked: a person that no issuer can name. */
const NOBODY = { subject: 'open-door' };

function refuseUnlessDecider(caller: Caller, party: Party, policies: readonly ApproverPolicy[], refusal: () => Refused): void {
  if (!policies.every((policy) => mayDecide(deciderOf(caller), party, policy, true))) throw refusal();
  if (policies.some(({ quorum }) => quorum !== undefined))
    throw new Refused(failure('ERR_ROLE_REQUIRED', 'Several people have to approve this call each time, so no grant can stand for them.'));
}

/** @throws Refused 400 */
function compiled(pattern: unknown): GrantPattern {
  try {
    return compileGrantPattern(pattern);
  } catch (error) {
    throw error instanceof GrantPatternError ? invalid(error.message) : error;
  }
}

const datesOf = ({ until, count }: { readonly until?: number; readonly count?: number }) => ({
  ...(until !== undefined && { until: new Date(until).toISOString() }),
  ...(count !== undefined && { count }),
});

const shownOf = (grant: LiveGrant) => ({
  grantId: grant.grantId,
  userRef: grant.userRef,
  server: grant.server,
  tool: grant.tool,
  toolHash: grant.toolHash,
  schemaHash: grant.schemaHash,
  ...datesOf(grant),
  usesLeft: grant.usesLeft,
  by: grant.by,
  createdAt: new Date(grant.createdAt).toISOString(),
});

const invalid = (sentence: string): Refused => new Refused(failure('ERR_INVALID_QUERY', sentence));
const noSuchRequest = (): Refused => new Refused(failure('ERR_NOT_FOUND', 'There is no such request.'));
const notYours = (): Refused => new Refused(failure('ERR_ROLE_REQUIRED', 'Calls of this tool are for other people to approve.'));
