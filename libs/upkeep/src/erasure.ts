import { topics, type EventOrigin } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { grantKey, type LedgerReader, type OwnedKey } from '@doorledger/ledger';
import type { ContentKeys } from '@doorledger/privacy';
import { sayDurably } from './durable-facts.js';
import type { ErasureTarget } from './erasure-target.js';
import { UpkeepError } from './errors.js';
import { hasReadAll } from './ledger-reach.js';

export interface ErasureOptions {
  readonly log: Pick<EventLog, 'append' | 'ends'>;
  readonly keys: Pick<ContentKeys, 'destroy'>;
  readonly ledger: Pick<LedgerReader, 'positions' | 'ownedKey' | 'keysOwnedBy' | 'nameKey' | 'grants'>;
  readonly origin: EventOrigin;
}

/** What was erased, for whoever asked for it. */
export interface ErasureReceipt {
  readonly target: ErasureTarget;
  /** Sessions that are erased now. */
  readonly sessions: readonly string[];
  /** How many of them were erased before this. */
  readonly erasedBefore: number;
  /** Content keys that were there and are gone. */
  readonly keysDestroyed: number;
  readonly turnsEnded: number;
  readonly grantsRevoked: number;
  readonly by: string;
  /** ISO time at which all of it was done. */
  readonly at: string;
}

type Tally = { sessions: string[]; erasedBefore: number; keysDestroyed: number; turnsEnded: number; grantsRevoked: number };

const LEDGER_MS = 5000;
const PAGE = 200;

/**
 * Erasure (X2). The close of a session stands once it is durable, by its own record or by an earlier one; then its key is destroyed, and
 * `session.erased` says so. Each step may be done again: what was interrupted is mended by erasing once more.
 * @throws UpkeepError `ERR_NOT_FOUND`, `ERR_LEDGER_BEHIND`, `ERR_LOG_UNAVAILABLE`; ContentError `ERR_ERASE_INCOMPLETE`
 */
export async function erase(target: ErasureTarget, by: string, options: ErasureOptions): Promise<ErasureReceipt> {
  const { log, ledger, origin } = options;
  const tally: Tally = { sessions: [], erasedBefore: 0, keysDestroyed: 0, turnsEnded: 0, grantsRevoked: 0 };
  await untilRead(log, ledger);
  await (target.kind === 'session' ? ofSession(target.ref, by, options, tally) : ofPerson(target.ref, by, options, tally));
  return { target, ...tally, by, at: new Date(origin.now()).toISOString() };
}

async function ofSession(ref: string, by: string, options: ErasureOptions, tally: Tally): Promise<void> {
  const found = await options.ledger.ownedKey(ref);
  if (!found) throw new UpkeepError('ERR_NOT_FOUND', 'There is no such session: nothing was ever said in it.');
  await revokeGrants(ref, by, options, tally);
  await eraseSession(found, by, options, tally);
}

/** Hosts let the person's key go when they meet the revocation, so it is said once more when the key is gone. */
async function ofPerson(ref: string, by: string, options: ErasureOptions, tally: Tally): Promise<void> {
  const { ledger, log, keys } = options;
  const [first] = await ledger.keysOwnedBy(ref, '', 1);
  if (!first && (await ledger.nameKey(ref)) === undefined) throw new UpkeepError('ERR_NOT_FOUND', 'There is no such person on this log.');
  const revoke = () =>
    sayDurably(options, topics.system.name, [{ key: `user/${ref}`, fact: { type: 'identity.revoked', data: { userRef: ref, by } } }]);
  await revoke();
  await revokeGrants(ref, by, options, tally);
  await untilRead(log, ledger);
  for (let page = await ledger.keysOwnedBy(ref, '', PAGE); page.length > 0; page = await ledger.keysOwnedBy(ref, page.at(-1)!.key, PAGE))
    for (const owned of page) await (owned.isSession ? eraseSession(owned, by, options, tally) : endTurn(owned, options, tally));
  if (await keys.destroy({ kind: 'person', ref })) tally.keysDestroyed++;
  await revoke();
}

async function eraseSession({ key, isErased }: OwnedKey, by: string, options: ErasureOptions, tally: Tally): Promise<void> {
  const say = (fact: Parameters<typeof sayDurably>[2][number]['fact']) => sayDurably(options, topics.session.name, [{ key, fact }]);
  if (!isErased) await say({ type: 'session.closed', data: { sessionRef: key, reason: 'erased', by } });
  if (await options.keys.destroy({ kind: 'session', ref: key })) tally.keysDestroyed++;
  if (isErased) tally.erasedBefore++;
  else await say({ type: 'session.erased', data: { sessionRef: key, by } });
  tally.sessions.push(key);
}

/** A turn without a session has no session to close: its run is ended. What it said lies under its person's key. */
async function endTurn({ key, runs }: OwnedKey, options: ErasureOptions, tally: Tally): Promise<void> {
  for (const { turnId, runId } of runs) {
    const data = { turnId, runId, errorName: 'Erased', liveToolSessions: 0 };
    await sayDurably(options, topics.session.name, [{ key, fact: { type: 'turn.failed', data } }]);
    tally.turnsEnded++;
  }
}

/** What this reference gave, or was given (N52): a pattern that nobody can open any more must not let a call through. */
async function revokeGrants(ref: string, by: string, options: ErasureOptions, tally: Tally): Promise<void> {
  const now = options.origin.now();
  for (const history of await options.ledger.grants(now, now)) {
    const created = history.find((record) => record.type === 'grant.created')?.data;
    const isOver = history.some(({ type }) => type === 'grant.revoked');
    if (!created || isOver || (created.userRef !== ref && created.by !== ref)) continue;
    const { grantId } = created;
    await sayDurably(options, topics.spend.name, [{ key: grantKey(grantId), fact: { type: 'grant.revoked', data: { grantId, by } } }]);
    tally.grantsRevoked++;
  }
}

async function untilRead(log: ErasureOptions['log'], ledger: ErasureOptions['ledger']): Promise<void> {
  for (const { name } of [topics.session, topics.spend])
    if (!(await hasReadAll(log, ledger, name, LEDGER_MS)))
      throw new UpkeepError(
        'ERR_LEDGER_BEHIND',
        'The ledger is behind the log and may not know of all that is to be erased. See that a projector runs, and erase once more.',
      );
}
