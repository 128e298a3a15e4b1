import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { Projector, ledgerReader, type LedgerStore } from '@doorledger/ledger';
import { SampleSession } from '../../ledger/src/testing/sample-facts.js';
import type { SampleLog } from '../../ledger/src/testing/sample-log.js';
import { uuid } from '../../ledger/src/testing/sample-log.js';
import { closeTemporaryLedgers, logAndLedger } from '../../ledger/src/testing/temporary-ledger.js';
import { Sweep } from './sweep.js';

let log: SampleLog;
let store: LedgerStore;
let projector: Projector;
beforeEach(async () => {
  ({ log, store } = logAndLedger());
  projector = await Projector.open({ store, topics: log.topics, gatherMs: 0 });
});
afterEach(async () => {
  await projector.close();
  await closeTemporaryLedgers();
});

/** Of what lies on the log, the projector takes what it has not read. */
async function catchUp(): Promise<void> {
  for (const batch of log.batches()) {
    const records = batch.records.slice(projector.applied[batch.topic]![batch.partition]);
    if (records.length > 0) await projector.take({ ...batch, records });
  }
}

/** A host's sweep by the clock of the log, which stamps what it appends. */
function sweepOf(hostId: string): Sweep {
  const append: EventLog['append'] = async (topic, records) =>
    records.map(({ key, value, headers }) => log.addRaw(topic, key, value, headers));
  return new Sweep({
    hostId,
    ledger: ledgerReader(store, log.topics),
    log: { append },
    origin: { source: '/doorledger/test/h', now: () => log.now },
  });
}

const lapses = () =>
  log
    .batches()
    .flatMap(({ topic, records }) => records.filter(({ decoded }) => topic === topics.session.name && decoded.type === 'turn.lapsed'));
const statusOf = async (turn: string) => (await ledgerReader(store, log.topics).turnDetail(uuid(turn)))?.status;

it('L12 says that a silent run lapsed once its lease is over by the log, and no sooner', async () => {
  new SampleSession(log, 's').claim('turn', 'run');
  await catchUp();
  const sweep = sweepOf('other');
  log.now += 31_000;
  expect(await sweep.sweep()).toBe(0);
  log.now += 2000;
  expect(await sweep.sweep()).toBe(1);
  await catchUp();
  expect([lapses().length, await statusOf('turn'), await sweep.sweep()]).toEqual([1, 'abandoned', 0]);
});

it('L12 and L1 end a run of a quiet partition whose leader changed: each lapse that is void moves T, until one stands', async () => {
  new SampleSession(log, 's').claim('turn', 'run');
  await catchUp();
  const hosts = [sweepOf('one'), sweepOf('other')];
  log.epoch++;
  log.now += 3_600_000;
  const told: unknown[] = [];
  for (let sweeps = 0; sweeps < 20 && (await statusOf('turn')) !== 'abandoned'; sweeps++) {
    await hosts[sweeps % 2]!.sweep();
    await catchUp();
    told.push(await statusOf('turn'));
    log.now += 5000;
  }
  // Whatever passed before the new leader's first record does not count, and 30 s after it are the lease.
  expect(told).toEqual([...Array.from({ length: 7 }, () => 'running'), 'abandoned']);
  expect(lapses()).toHaveLength(8);
  expect(await hosts[0]!.sweep()).toBe(0);
});
