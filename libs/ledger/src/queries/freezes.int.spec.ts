import type { FactData } from '@doorledger/contracts';
import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, uuid } from '../testing/sample-log.js';
import { closeTemporaryLedgers, digestOf, logAndLedger, project, temporaryLedger } from '../testing/temporary-ledger.js';
import { readFreezes } from './freezes.js';

type Target = FactData<'freeze.set'>['target'];

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const set = (name: string, target: Target) =>
  log.add(`freeze/${name}`, { type: 'freeze.set', data: { freezeId: uuid(name), target, by: ref('op'), why: 'because' } });
const lift = (name: string) =>
  log.add(`freeze/${name}`, { type: 'freeze.lifted', data: { freezeId: uuid(name), by: ref('op'), why: 'over' } });

it('P6 tells what is frozen, by whom and why, oldest first, and which freezes were lifted', async () => {
  set('later', { kind: 'everything' });
  const { timestamp: setAt } = set('over', { kind: 'server', name: 'mail' });
  log.now += 5;
  set('newest', { kind: 'tool', name: 'mail.send' });
  lift('over');
  await project(store, log);
  const of = { by: ref('op'), why: 'because' };
  expect(await readFreezes(store.db)).toEqual({
    live: [
      { freezeId: uuid('later'), target: { kind: 'everything' }, ...of, setAt },
      { freezeId: uuid('newest'), target: { kind: 'tool', name: 'mail.send' }, ...of, setAt: setAt + 5 },
    ],
    lifted: [uuid('over')],
  });
});

it('P6 lets the first set and the first lift stand, in one batch or in many, and a copy revives nothing', async () => {
  set('a', { kind: 'server', name: 'mail' });
  set('a', { kind: 'everything' });
  lift('a');
  set('a', { kind: 'everything' });
  lift('unknown');
  set('unknown', { kind: 'everything' });
  const piecewise = temporaryLedger();
  await project(store, log);
  await project(piecewise, log, log.batches(1));
  expect(await readFreezes(store.db)).toEqual({ live: [], lifted: expect.arrayContaining([uuid('a'), uuid('unknown')]) });
  expect(await store.db.selectFrom('freeze').select(['kind', 'name']).where('freeze_id', '=', uuid('a')).execute()).toEqual([
    { kind: 'server', name: 'mail' },
  ]);
  expect(await digestOf(piecewise)).toBe(await digestOf(store));
});
