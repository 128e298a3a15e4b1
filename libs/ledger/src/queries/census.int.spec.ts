import fc from 'fast-check';
import { topics, type FactData } from '@doorledger/contracts';
import { PostgresGenerations } from '../postgres/generations.js';
import { specDatabases } from '../postgres/testing/spec-database.js';
import type { LedgerStore } from '../store.js';
import { SampleLog, ref, uuid } from '../testing/sample-log.js';
import { ingressOf } from '../testing/sample-facts.js';
import { closeTemporaryLedgers, project, temporaryLedger } from '../testing/temporary-ledger.js';
import { readCensusCheck, type LifeCheck } from './census-check.js';
import { readCensus } from './census.js';

const newDatabase = specDatabases();
const opened: LedgerStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await closeTemporaryLedgers();
});

const engines: Record<string, () => Promise<LedgerStore>> = {
  SQLite: async () => temporaryLedger(),
  PostgreSQL: async () => {
    const generations = await PostgresGenerations.open({ url: await newDatabase() });
    const { store } = await generations.openLive();
    await generations.close();
    opened.push(store);
    return store;
  },
};

const host = (boot: string) => ({ hostId: 'host-1', bootId: uuid(boot) });
type HostType = 'host.started' | 'host.alive' | 'host.stopped';

function say(log: SampleLog, type: HostType, boot: string, lastSeq: number, durableSeq = lastSeq): void {
  log.add('h', { type, data: { ...host(boot), version: '1', foldVersion: 1, lastSeq, durableSeq } });
}

function record(log: SampleLog, boot: string, seq: number, more: Partial<FactData<'ingress.recorded'>> = {}): void {
  ingressOf(log, seq, `s${seq % 3}`, { ...host(boot), ...more });
}

function count(log: SampleLog, boot: string, seqs: [number, number][], more: Partial<FactData<'ingress.counted'>> = {}): void {
  const places = seqs.reduce((sum, [, length]) => sum + length, 0);
  log.add('h', {
    type: 'ingress.counted',
    data: { ...host(boot), reason: 'unrouted', from: log.now, to: log.now, count: places, seqs, ...more },
  });
}

/** A life of 8 requests that adds up: records at 1, 2, 3 and 7, counts at 4 to 6 and 8. */
function soundLife(log: SampleLog, boot = 'b'): void {
  say(log, 'host.started', boot, 0);
  for (const seq of [3, 1, 2, 7]) record(log, boot, seq);
  count(log, boot, [
    [4, 3],
    [2, 1],
  ]);
  say(log, 'host.alive', boot, 8, 0);
}

const sum = { issued: 8, recorded: 4, counted: 4, pending: 0, unknown: 0, removed: 0, doubled: 0, addsUp: true };

async function lifeOf(store: LedgerStore, log: SampleLog, boot = 'b'): Promise<LifeCheck> {
  await project(store, log);
  const { items } = await store.snapshot((db) => readCensusCheck(db));
  return items.find(({ bootId }) => bootId === uuid(boot))!;
}

it.each<[string, (log: SampleLog) => void, Partial<LifeCheck>]>([
  ['all is well', () => {}, {}],
  ['a stopped host', (log) => say(log, 'host.stopped', 'b', 8), { state: 'stopped' }],
  ['a running host has issued more', (log) => say(log, 'host.alive', 'b', 11, 8), { state: 'running', issued: 11, pending: 3 }],
  ['a stopped host had issued more', (log) => say(log, 'host.stopped', 'b', 11, 8), { state: 'stopped', issued: 11, unknown: 3 }],
  [
    'the same host has come up again',
    (log) => ((log.now += 5), say(log, 'host.alive', 'b', 9, 8), (log.now += 5), say(log, 'host.started', 'next', 0)),
    { state: 'ended', issued: 9, unknown: 1 },
  ],
  [
    'log time says that the host is gone',
    (log) => (record(log, 'b', 10), (log.now += 30_001), say(log, 'host.alive', 'other', 0)),
    { state: 'ended', issued: 10, recorded: 5, unknown: 1 },
  ],
  ['a place of two records', (log) => record(log, 'b', 3), { recorded: 5, doubled: 1, addsUp: false }],
  [
    'a place of two records of different sessions',
    (log) => ingressOf(log, 3, 'another', host('b')),
    { recorded: 5, doubled: 1, addsUp: false },
  ],
  ['a record in a count', (log) => record(log, 'b', 5), { recorded: 5, doubled: 1, addsUp: false }],
  ['a count over records', (log) => count(log, 'b', [[1, 3]]), { counted: 7, doubled: 3, addsUp: false }],
  ['two counts of one place', (log) => count(log, 'b', [[6, 1]]), { counted: 5, doubled: 1, addsUp: false }],
  [
    'a doubled place hides a missing one',
    (log) => (record(log, 'b', 3), say(log, 'host.stopped', 'b', 9)),
    { state: 'stopped', issued: 9, recorded: 5, unknown: 1, doubled: 1, addsUp: false },
  ],
  [
    'a count that counts another number',
    (log) => count(log, 'b', [[9, 2]], { count: 3 }),
    { issued: 10, counted: 7, doubled: 1, addsUp: false },
  ],
  ['somebody else’s records', (log) => record(log, 'b', 3, { source: 'external' }), {}],
])('E12 adds up, or says that it does not: %s', async (_, plant, expected) => {
  for (const open of Object.values(engines)) {
    const log = new SampleLog();
    soundLife(log);
    plant(log);
    expect(await lifeOf(await open(), log)).toMatchObject({ state: 'running', ...sum, ...expected });
  }
});

it('E12 counts copies of a record and of a count once', async () => {
  const log = new SampleLog();
  say(log, 'host.started', 'b', 0);
  const data = { ...host('b'), at: 1, door: 'turn', outcome: 'served', bearerPresent: true, durationMs: 1, seq: 1 } as const;
  const recorded = log.event({ type: 'ingress.recorded', data });
  const counted = log.event({
    type: 'ingress.counted',
    data: { ...host('b'), reason: 'closing', from: 1, to: 1, count: 1, seqs: [[2, 1]] },
  });
  for (let i = 0; i < 3; i++) for (const event of [recorded, counted]) log.addEvent('h', event);
  expect(await lifeOf(temporaryLedger(), log)).toMatchObject({ issued: 2, recorded: 1, counted: 1, doubled: 0, addsUp: true });
});

it('E11 and X3 call nothing unknown that retention may have taken away', async () => {
  const log = new SampleLog();
  soundLife(log);
  say(log, 'host.stopped', 'b', 8);
  log.now += 10;
  for (const partition of [0, 1, 2, 3])
    log.add('r', { type: 'retention.applied', data: { topic: topics.ingress.name, partition, before: 1, by: ref('op') } });
  log.now += 10;
  soundLife(log, 'later');
  say(log, 'host.stopped', 'later', 9);
  const store = temporaryLedger();
  const cut = await lifeOf(store, log);
  expect(cut).toMatchObject({ issued: 8, unknown: 0, addsUp: true });
  expect(cut.removed).toBeGreaterThan(0);
  expect(cut.recorded + cut.counted + cut.removed).toBe(8);
  expect(await lifeOf(store, log, 'later')).toMatchObject({ issued: 9, removed: 0, unknown: 1 });
});

it('E12 is checked life by life, in pages', async () => {
  const log = new SampleLog();
  const boots = ['a', 'b', 'c', 'd', 'e'];
  for (const boot of boots) soundLife(log, boot);
  record(log, 'only records', 1);
  record(log, 'e', 3);
  const store = temporaryLedger();
  await project(store, log);
  const found: LifeCheck[] = [];
  let cursor: string | undefined;
  do {
    const page = await readCensusCheck(store.db, { limit: 2, ...(cursor !== undefined && { cursor }) });
    expect(page.addsUp).toBe(!page.items.some(({ bootId }) => bootId === uuid('e')));
    found.push(...page.items);
    ({ cursor } = page);
  } while (cursor !== undefined);
  expect(found.map(({ bootId }) => bootId)).toEqual([...boots, 'only records'].map(uuid).sort());
});

const telling = fc.oneof(
  fc.record({ kind: fc.constant('record' as const), seq: fc.integer({ min: 1, max: 60 }) }),
  fc.record({
    kind: fc.constant('count' as const),
    seqs: fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 5 })), { minLength: 1, maxLength: 5 }),
  }),
);

it('E12 finds on whatever log what a walk over all its places finds', async () => {
  const log = new SampleLog();
  const expected = new Map<string, object>();
  fc.sample(fc.tuple(fc.array(telling, { maxLength: 40 }), fc.nat(80)), { numRuns: 60, seed: 5 }).forEach(([tellings, said], life) => {
    const boot = `boot ${life}`;
    const told = new Map<number, number>();
    const tell = (seq: number) => void told.set(seq, (told.get(seq) ?? 0) + 1);
    let [recorded, counted] = [0, 0];
    for (const one of tellings) {
      if (one.kind === 'record') {
        record(log, boot, one.seq);
        recorded++;
        tell(one.seq);
      } else {
        count(log, boot, one.seqs);
        let last = 0;
        for (const [distance, length] of one.seqs) {
          for (let i = 0; i < length; i++, counted++) tell(last + distance + i);
          last += distance + length - 1;
        }
      }
    }
    say(log, 'host.stopped', boot, said);
    const issued = Math.max(said, 0, ...told.keys());
    const doubled = recorded + counted - told.size;
    expected.set(uuid(boot), { issued, recorded, counted, unknown: issued - told.size, doubled, addsUp: doubled === 0 });
  });
  for (const open of Object.values(engines)) {
    const store = await open();
    await project(store, log);
    const { items } = await readCensusCheck(store.db, { limit: 100 });
    expect(items).toHaveLength(expected.size);
    for (const item of items) expect(item).toMatchObject(expected.get(item.bootId)!);
  }
});

describe('census', () => {
  const minute = 60_000;
  const start = Math.ceil(1_750_000_000_000 / minute) * minute;

  function story(): SampleLog {
    const log = new SampleLog();
    log.now = start;
    say(log, 'host.started', 'b', 0);
    record(log, 'b', 1, { at: start });
    record(log, 'b', 2, { at: start + 1, outcome: 'identity-refused', errorCode: 'ERR_UNAUTHENTICATED', identityFailure: 'expired' });
    record(log, 'b', 3, { at: start + minute, outcome: 'failed', errorName: 'TypeError' });
    record(log, 'b', 4, { at: start + minute, door: 'request', outcome: 'cross-site-refused', errorCode: 'ERR_HOST_NOT_ALLOWED' });
    count(log, 'b', [[5, 90]], {
      reason: 'cross-site-refused/request/ERR_HOST_NOT_ALLOWED',
      from: start + minute + 5,
      to: start + minute + 9,
    });
    count(log, 'b', [[95, 7]], { reason: 'unrouted', from: start + minute, to: start + minute });
    record(log, 'b', 102, { at: start + 9 * minute });
    record(log, 'b', 1, { at: start, source: 'external' });
    say(log, 'host.alive', 'b', 105, 102);
    return log;
  }

  it('P2 and E12 are counted by outcome, cause, door and window, whether recorded or counted', async () => {
    const answers: unknown[] = [];
    for (const open of Object.values(engines)) {
      const store = await open();
      await project(store, story());
      const request = { by: ['outcome', 'cause', 'door'], from: start, to: start + 2 * minute, windowMs: minute } as const;
      answers.push(await readCensus(store.db, request));
    }
    expect(answers[0]).toEqual(answers[1]);
    const [first, second] = [start, start + minute].map((at) => new Date(at).toISOString());
    const recorded = { requests: 1, recorded: 1, counted: 0 };
    const flood = { outcome: 'cross-site-refused', cause: 'ERR_HOST_NOT_ALLOWED', door: 'request' };
    expect(answers[0]).toEqual({
      from: first,
      to: new Date(start + 2 * minute).toISOString(),
      requests: 101,
      pending: 3,
      unknown: 0,
      items: [
        { window: first, outcome: 'identity-refused', cause: 'expired', door: 'turn', ...recorded },
        { window: first, outcome: 'served', door: 'turn', ...recorded },
        { window: second, ...flood, requests: 91, recorded: 1, counted: 90 },
        { window: second, outcome: 'failed', cause: 'TypeError', door: 'turn', ...recorded },
        { window: second, cause: 'unrouted', requests: 7, recorded: 0, counted: 7 },
      ],
    });
  });

  it('P2 are summed up over what is not asked for, and tell what a host that is gone never wrote', async () => {
    const log = story();
    log.now += minute;
    say(log, 'host.started', 'next', 0);
    const store = temporaryLedger();
    await project(store, log);
    expect(await readCensus(store.db, { by: [], from: start, to: start + 60 * minute })).toMatchObject({
      requests: 102,
      pending: 0,
      unknown: 3,
      items: [{ requests: 102, recorded: 5, counted: 97 }],
    });
    expect(await readCensus(store.db, { by: ['outcome'], from: start + 20 * minute, to: start + 60 * minute })).toMatchObject({
      requests: 0,
      unknown: 0,
      items: [],
    });
  });

  it('P7 refuse what would be too long an answer', async () => {
    const { db } = temporaryLedger();
    for (const request of [
      { by: [], from: 5, to: 5 },
      { by: [], from: 0, to: 1001 * minute, windowMs: minute },
    ])
      await expect(readCensus(db, request)).rejects.toMatchObject({ code: 'ERR_INVALID_QUERY' });
  });
});
