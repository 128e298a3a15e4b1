import type { LedgerReader, SealedName } from '@doorledger/ledger';
import { openContent, type ContentKeys } from '@doorledger/privacy';
import { isOwner, type Caller } from '../caller.js';
import type { Composer } from '../composer.js';
import { Refused } from '../refused.js';
import { failure, type Terminal } from '../wire/terminal.js';
import type { ApiCall } from './host-api.js';
import { isRef } from './operator-asks.js';

export interface NamesOptions {
  readonly ledger: Pick<LedgerReader, 'sealedNames'>;
  readonly keys: Pick<ContentKeys, 'keyById' | 'holds'>;
}

/** What a person is called by their issuer. */
export interface PersonName {
  readonly issuer: string;
  readonly subject: string;
  readonly tenant?: string;
  readonly name?: string;
}

/** What references stand for (O8). A name whose key was destroyed is none any more (X2). */
export class Names {
  constructor(private readonly options: NamesOptions) {}

  async personOf(userRef: string): Promise<PersonName | undefined> {
    const [found] = await this.options.ledger.sealedNames([userRef]);
    const text = found && (await this.#opened(found, 'subject.named'));
    return text === undefined ? undefined : (JSON.parse(text) as PersonName);
  }

  /** The ids of those of the sessions that are the caller's, by reference. */
  async sessionsOf(caller: Caller, refs: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const found = await this.options.ledger.sealedNames(refs);
    const own = found.filter(({ owner }) => owner !== undefined && isOwner(owner, caller));
    const named = await Promise.all(own.map(async (one) => [one.ref, await this.#opened(one, 'session.named')] as const));
    return Object.fromEntries(named.flatMap(([ref, id]) => (id === undefined ? [] : [[ref, id]])));
  }

  async #opened({ ref, keyId, sealed }: SealedName, type: 'session.named' | 'subject.named'): Promise<string | undefined> {
    const { keys } = this.options;
    if (!(await keys.holds(keyId))) return undefined;
    return (await openContent(keys, { keyId, sealed: Buffer.from(sealed).toString('base64') }, { type, subject: ref })).toString('utf8');
  }
}

export interface NameApiOptions {
  readonly composer: Pick<Composer, 'callerOf'>;
  readonly names: Pick<Names, 'sessionsOf'>;
}

const MAX_REFS = 100;

/** Resolves references for those who may see what they stand for (O8): a session for its owner. */
export class NameApi {
  constructor(private readonly options: NameApiOptions) {}

  /** @throws Refused */
  async read(query: unknown, { presented, signal, trace }: ApiCall): Promise<Terminal> {
    const caller = await this.options.composer.callerOf(presented, signal, trace);
    return { kind: 'api', status: 200, body: { sessions: await this.options.names.sessionsOf(caller, readSessions(query)) } };
  }
}

/** @throws Refused 400 */
function readSessions(query: unknown): readonly string[] {
  const { sessions, ...others } = query as Readonly<Record<string, unknown>>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalid(`There is no parameter "${unknown}". Known are: sessions.`);
  const refs = typeof sessions === 'string' ? sessions.split(',') : [];
  if (refs.length === 0 || refs.length > MAX_REFS || !refs.every(isRef))
    throw invalid(`"sessions" is 1 to ${MAX_REFS} references of 32 hex digits, a comma between them.`);
  return refs;
}

const invalid = (sentence: string): Refused => new Refused(failure('ERR_INVALID_QUERY', sentence));
