import { topics } from '@doorledger/contracts';
import { decisionKey, partitionOf } from '@doorledger/event-log';
import { ledgerReader } from '../ledger-reader.js';
import type { LedgerStore } from '../store.js';
import { SampleLog, uuid } from '../testing/sample-log.js';
import { closeTemporaryLedgers, digestOf, logAndLedger, project, temporaryLedger } from '../testing/temporary-ledger.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const spend = (id: string, claim: string, namespace = 'shop') =>
  log.add(decisionKey(namespace, id), { type: 'decision.spent', data: { namespace, id, claimId: uuid(claim) } });
const found = (id: string, namespace = 'shop') => ledgerReader(store, log.topics).decision(decisionKey(namespace, id));

it('N40 remembers the first spend of each key, and how far its partition is read', async () => {
  const first = spend('7', 'a');
  const second = spend('7', 'b');
  await project(store, log);
  expect(await found('7')).toEqual({ next: second.offset + 1, spend: { offset: first.offset, claimId: uuid('a') } });
  expect(await found('7', 'shop.eu')).not.toHaveProperty('spend');
  expect((await found('8')).spend).toBeUndefined();
});

it('N40 keeps ids apart that an engine cannot store, or would take for one', async () => {
  const ids = ['a\u0000', 'a\uFFFD', 'a', 'A', ' a', 'é', 'e\u0301', '🚪'.repeat(400)];
  for (const id of ids) spend(id, id);
  await project(store, log);
  for (const id of ids) expect((await found(id)).spend?.claimId).toBe(uuid(id));
});

it('L8 keeps a spend that nobody can read as nobody’s, and nothing of grants', async () => {
  log.addRaw(topics.spend.name, decisionKey('shop', '7'), Buffer.from('{'), { ce_type: 'decision.spent' });
  spend('7', 'a');
  log.addRaw(topics.spend.name, 'grant/7', Buffer.from('{'), {});
  await project(store, log);
  expect((await found('7')).spend).toEqual({ offset: 0, claimId: null });
  expect((await store.db.selectFrom('decision').selectAll().execute()).length).toBe(1);
});

it('X0 has the same digest however its batches are cut, and another one without a spend', async () => {
  for (const id of ['1', '2', '1', '3']) spend(id, id);
  await project(store, log);
  const again = temporaryLedger();
  await project(again, log, log.batches(1));
  expect(await digestOf(again)).toBe(await digestOf(store));
  const less = new SampleLog();
  log = less;
  for (const id of ['1', '2']) spend(id, id);
  const other = temporaryLedger();
  await project(other, less);
  expect(await digestOf(other)).not.toBe(await digestOf(store));
});

it('N40 knows nothing of a partition that was never read', async () => {
  expect(await found('7')).toEqual({ next: 0 });
  expect(partitionOf(decisionKey('shop', '7'), 4)).toBeLessThan(4);
});
