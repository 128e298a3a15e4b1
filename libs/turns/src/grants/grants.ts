import { createHash, randomUUID } from 'node:crypto';
import type { ApproverPolicy, GrantPattern, JsonObject } from '@doorledger/consent';
import { topics, type FactData } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { openContent, type ContentKeys, type KeyOwner } from '@doorledger/privacy';
import type { PrivateWriter } from '../content.js';
import { TurnError } from '../turn-error.js';
import type { GrantBook, LiveGrant } from './grant-book.js';
import type { GrantClaims } from './grant-claims.js';
import type { GrantTerms } from './grant-fold.js';
import { compileGrantPattern } from './pattern-keywords.js';

export interface GrantsOptions {
  readonly book: GrantBook;
  readonly claims: Pick<GrantClaims, 'append'>;
  readonly content: Pick<PrivateWriter, 'grantPattern'>;
  readonly log: Pick<EventLog, 'recordAt'>;
  readonly keys: Pick<ContentKeys, 'keyById'>;
  /** P6: an operator stopped this person. */
  readonly isFrozen: (userRef: string) => boolean;
}

/** A gated call that somebody may have agreed to before. */
export interface CoveredCall {
  /** The party of its request (`partyRef`). */
  readonly party: string;
  readonly server: string;
  readonly tool: string;
  readonly toolHash: string;
  readonly args: JsonObject;
  /** Of the gate that asks. */
  readonly policy: ApproverPolicy;
}

export interface NewGrant extends Pick<FactData<'grant.created'>, 'server' | 'tool' | 'toolHash' | 'until' | 'count' | 'by'> {
  /** Whose calls it covers, and under whose key its pattern is sealed. */
  readonly owner: KeyOwner;
  readonly pattern: GrantPattern;
}

interface StoredPattern {
  readonly keyId: string;
  readonly sealed: string;
}

/** Remembered grants (N52): made, looked up, used and revoked by the order of the log. */
export class Grants {
  readonly #options: GrantsOptions;
  /** Compiled patterns of grants in force. */
  readonly #patterns = new Map<string, Promise<GrantPattern | undefined>>();

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  /** The grant in force that covers this call, the oldest first. A forecast: whether it can be used the log decides. */
  async covering(call: CoveredCall): Promise<LiveGrant | undefined> {
    const { party, server, tool, toolHash, args, policy } = call;
    for (const grant of this.#options.book.of(party, Date.now())) {
      if (grant.userRef !== party || grant.server !== server || grant.tool !== tool || grant.toolHash !== toolHash) continue;
      if (isStillUpTo(grant, policy) && !this.#options.isFrozen(grant.by) && (await this.patternOf(grant))?.matches(args)) return grant;
    }
    return undefined;
  }

  /** Resolves true when a use of its own stands: nobody else has it, and it stays used whatever happens (N52). */
  async use({ grantId }: LiveGrant, requestId: string): Promise<boolean> {
    const verdict = await this.#options.claims.append({ type: 'grant.used', data: { grantId, useId: randomUUID(), requestId } });
    return verdict === 'stands';
  }

  /** Resolves to the grant's id when it is in force here; other hosts have it as soon as their tails meet it. @throws TurnError */
  async create({ owner, pattern, ...terms }: NewGrant): Promise<string> {
    const grantId = randomUUID();
    const { content, claims } = this.#options;
    const place = await content.grantPattern(owner, grantId, JSON.stringify(pattern.schema));
    const data = { grantId, userRef: owner.ref, ...terms, schemaHash: pattern.schemaHash, private: place };
    if ((await claims.append({ type: 'grant.created', data })) !== 'stands')
      throw new TurnError('ERR_LOG_UNAVAILABLE', 'The log did not take the grant. Try again.');
    return grantId;
  }

  /** Resolves when nothing can use it any more on this host; on the others as soon as their tails meet it. @throws TurnError */
  async revoke(grantId: string, by: string): Promise<void> {
    await this.#options.claims.append({ type: 'grant.revoked', data: { grantId, by } });
    this.#patterns.delete(grantId);
  }

  /** Undefined where it cannot be read any more: it was erased or cut, and the grant covers nothing. */
  patternOf(grant: GrantTerms): Promise<GrantPattern | undefined> {
    const known = this.#patterns.get(grant.grantId);
    if (known) return known;
    this.#forgetOver();
    // What cannot be read for want of the log or of the keys is read again, and until then the gate asks.
    const read = this.#read(grant).catch(() => undefined);
    this.#patterns.set(grant.grantId, read);
    void read.then((pattern) => pattern ?? this.#patterns.delete(grant.grantId));
    return read;
  }

  /** Patterns of grants that are over go when another one comes. */
  #forgetOver(): void {
    const now = Date.now();
    for (const grantId of this.#patterns.keys()) if (!this.#options.book.live(grantId, now)) this.#patterns.delete(grantId);
  }

  async #read({ grantId, schemaHash, private: place }: GrantTerms): Promise<GrantPattern | undefined> {
    const { log, keys } = this.#options;
    if (!place) return undefined;
    const { partition, offset, hash } = place;
    const record = await log.recordAt({ topic: topics.private.name, partition, offset });
    if (
      !record ||
      createHash('sha256')
        .update(record.value ?? '')
        .digest('hex') !== hash
    )
      return undefined;
    const stored = record.decoded.body?.data as StoredPattern | undefined;
    if (!stored) return undefined;
    const text = await openContent(keys, stored, { type: 'grant.stored', subject: grantId });
    const pattern = compileGrantPattern(JSON.parse(text.toString('utf8')));
    return pattern.schemaHash === schemaHash ? pattern : undefined;
  }
}

/** Whoever gave it would still be asked: policies change, and nobody stands for several people. */
function isStillUpTo({ by, userRef }: GrantTerms, { deciders, separation, quorum }: ApproverPolicy): boolean {
  if (quorum !== undefined) return false;
  return by === userRef ? deciders !== 'role' && !separation : deciders !== 'party';
}
