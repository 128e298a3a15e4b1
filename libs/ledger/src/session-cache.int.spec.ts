import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { RowChanges } from './row-changes.js';
import { putSession, type FoldedSession } from './projection/session.js';
import { SessionCache } from './session-cache.js';
import type { LedgerStore } from './store.js';
import { closeTemporaryLedgers, temporaryLedger } from './testing/temporary-ledger.js';

afterEach(closeTemporaryLedgers);

const batchOf = (...keys: string[]): RecordBatch[] => [
  { topic: topics.session.name, partition: 0, records: keys.map((key) => ({ key })) as unknown as RecordBatch['records'] },
];

/** Takes a session out, counts one turn more, and gives it back as folded. */
async function fold(cache: SessionCache, key: string): Promise<FoldedSession> {
  const session = (await cache.checkOut(batchOf(key))).get(key)!;
  session.turns++;
  cache.checkIn([session]);
  return session;
}

async function commit(cache: SessionCache, store: LedgerStore, session: FoldedSession): Promise<void> {
  const changes = new RowChanges();
  putSession(session, changes);
  await store.commit({ advances: [], changes });
  cache.committed([session]);
}

const turnsOf = async (cache: SessionCache, key: string) => (await cache.checkOut(batchOf(key))).get(key)!.turns;

it('L9 goes on with a folded session however many others were folded before its commit', async () => {
  const store = temporaryLedger();
  const cache = new SessionCache(store, 1);
  const folded: FoldedSession[] = [];
  for (const key of ['a', 'b', 'c']) folded.push(await fold(cache, key));
  for (const key of ['a', 'b', 'c']) expect(await turnsOf(cache, key)).toBe(1);
  for (const session of folded) await commit(cache, store, session);
  // Past the bound the store knows.
  for (const key of ['a', 'b', 'c']) expect(await turnsOf(cache, key)).toBe(1);
});

it('L9 keeps a session that was folded again when the commit before ends', async () => {
  const store = temporaryLedger();
  const cache = new SessionCache(store, 1);
  const first = await fold(cache, 'a');
  const second = await fold(cache, 'a');
  await commit(cache, store, first);
  await commit(cache, store, await fold(cache, 'b'));
  expect(await turnsOf(cache, 'a')).toBe(2);
  await commit(cache, store, second);
  expect(await turnsOf(cache, 'a')).toBe(2);
});
