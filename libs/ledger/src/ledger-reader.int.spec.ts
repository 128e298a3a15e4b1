import { hash } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import { emptySession, startOfPartition } from '@doorledger/event-log';
import { ledgerReader } from './ledger-reader.js';
import type { LedgerStore } from './store.js';
import { SampleLog, ref, uuid } from './testing/sample-log.js';
import { SampleSession, placeOf } from './testing/sample-facts.js';
import { closeTemporaryLedgers, project, temporaryLedger } from './testing/temporary-ledger.js';

let log: SampleLog;
let store: LedgerStore;
let session: SampleSession;
beforeEach(() => {
  log = new SampleLog();
  session = new SampleSession(log, 'session');
  store = temporaryLedger();
});
afterEach(closeTemporaryLedgers);
const reader = () => ledgerReader(store, log.topics);
const texts = async () => (await reader().messagesOf(session.key)).read.map(({ sealed }) => Buffer.from(sealed).toString());

it('L9 reads a session with the place of its partition, which counts other sessions too', async () => {
  session.claim('t', 'r');
  const others = Array.from({ length: 12 }, (_, i) => new SampleSession(log, `other ${i}`).claim(`t${i}`, `r${i}`));
  await project(store, log);
  const { state, time, partition } = await reader().sessionRow(session.key);
  expect(state.run).toMatchObject({ runId: uuid('r'), hostId: 'host-1' });
  expect(time).toMatchObject({ next: 1 + others.filter((record) => record.partition === partition).length, epoch: 1, timestamp: log.now });
  expect((await reader().positions()).times[topics.session.name]![partition]).toMatchObject(time);
});

it('L9 reads a key without a row as the empty session at its partition’s place', async () => {
  expect(await reader().sessionRow(ref('nobody'))).toMatchObject({ state: emptySession, time: startOfPartition });
  for (let i = 0; i < 12; i++) new SampleSession(log, `other ${i}`).claim(`t${i}`, `r${i}`);
  await project(store, log);
  const { state, time } = await reader().sessionRow(ref('nobody'));
  expect(state).toEqual(emptySession);
  expect(time.next).toBeGreaterThan(0);
});

it('O4 never takes a damaged row for a fresh session', async () => {
  session.claim('t', 'r');
  await project(store, log);
  const { changes } = await import('./testing/fold-log.js').then((m) => m.foldLog(log));
  changes.put('session', { session_key: session.key, partition: 0, named: 1, state: '{"v":', last_at: 0, last_offset: 0, turns: 0 });
  await store.commit({ advances: [], changes });
  await expect(reader().sessionRow(session.key)).rejects.toMatchObject({ code: 'ERR_LEDGER_UNREADABLE' });
});

it('L13 finds every open run of a host, of any of its lives', async () => {
  session.claim('t', 'r');
  session.claim('t2', 'r2', { after: uuid('r'), wait: true, bootId: uuid('boot-2') });
  new SampleSession(log, 'of another host').claim('t3', 'r3', { hostId: 'host-2' });
  const ended = new SampleSession(log, 'ended');
  ended.claim('t4', 'r4');
  ended.fail('t4', 'r4');
  await project(store, log);
  const runs = await reader().openRunsOf('host-1');
  expect(runs.map(({ runId, status, bootId }) => [runId, status, bootId])).toEqual(
    expect.arrayContaining([
      [uuid('r'), 'standing', uuid('boot-1')],
      [uuid('r2'), 'waiting', uuid('boot-2')],
    ]),
  );
  expect(runs).toHaveLength(2);
});

it('L12 finds the runs that have been quiet since a time, the quietest first', async () => {
  const started = log.now;
  for (const name of ['a', 'b', 'c']) {
    new SampleSession(log, name).claim(`turn ${name}`, `run ${name}`);
    log.now += 1000;
  }
  await project(store, log);
  const quiet = async (since: number, limit = 10) => (await reader().openRunsQuietSince(since, limit)).map((run) => run.runId);
  expect(await quiet(started - 1)).toEqual([]);
  expect(await quiet(started + 1000)).toEqual([uuid('run a'), uuid('run b')]);
  expect(await quiet(started + 5000, 1)).toEqual([uuid('run a')]);
});

describe('content', () => {
  it('L10 is read in the order standing records name it, once, and only then', async () => {
    session.claim('t', 'r');
    const [one, two] = [session.content('t', 'r', 'one'), session.content('t', 'r', 'two')];
    session.content('t', 'r', 'unnamed');
    session.step('t', 'r', 1, two);
    session.step('t', 'r', 2, one);
    session.step('t', 'r', 2, one);
    session.step('t', 'another run', 3, session.content('t', 'another run', 'named by a void record'));
    await project(store, log);
    expect(await texts()).toEqual(['two', 'one']);
  });

  it.each(['session topic first', 'private topic first'])('L10 is the same in both orders of arrival: %s', async (order) => {
    session.claim('t', 'r');
    session.step('t', 'r', 1, session.content('t', 'r', 'hello'));
    const batches = log.batches();
    await project(store, log, order === 'session topic first' ? batches : batches.reverse());
    expect(await texts()).toEqual(['hello']);
  });

  it('L9 tells what a standing record names and the ledger has not read, so that no newest message is missed unseen', async () => {
    session.claim('t', 'r');
    const [one, two] = [session.content('t', 'r', 'one'), session.content('t', 'r', 'two')];
    session.step('t', 'r', 1, one);
    session.step('t', 'r', 2, two);
    const isPrivate = ({ topic }: { topic: string }) => topic === topics.private.name;
    await project(
      store,
      log,
      log.batches().filter((batch) => !isPrivate(batch)),
    );
    expect(await reader().messagesOf(session.key)).toEqual({ read: [], unread: [placeOf(one), placeOf(two)] });
    await project(store, log, log.batches().filter(isPrivate));
    expect(await texts()).toEqual(['one', 'two']);
    const { unread, readUntil } = await reader().messagesOf(session.key);
    expect([unread, await reader().messagesOf(session.key, readUntil)]).toEqual([[], { read: [], unread: [] }]);
    expect((await reader().messagesOf(session.key, readUntil! - 1)).read).toHaveLength(1);
  });

  it('L10 does not count under another hash, another key or another place', async () => {
    session.claim('t', 'r');
    const content = session.content('t', 'r', 'hello');
    const foreign = new SampleSession(log, 'another session').content('t', 'r', 'theirs');
    const { partition, offset } = placeOf(content);
    const named = [{ partition, offset, hash: placeOf(foreign).hash }, placeOf(foreign), { ...placeOf(content), offset: offset + 1 }];
    for (const [i, place] of named.entries())
      log.add(session.key, { type: 'turn.stepped', data: { turnId: uuid('t'), runId: uuid('r'), step: i + 1, private: place } });
    await project(store, log);
    expect(await texts()).toEqual([]);
  });

  it('L10 is put together from its parts, and is not there while one is missing or changed', async () => {
    session.claim('t', 'r');
    const name = (text: string, sent: readonly string[], step: number) => {
      const whole = hash('sha256', Buffer.from(text), 'hex');
      const parts = sent.map((part, index) =>
        log.add(session.key, {
          type: 'messages.added',
          data: {
            turnId: uuid('t'),
            runId: uuid('r'),
            keyId: uuid('k'),
            messages: 1,
            sealed: Buffer.from(part).toString('base64'),
            part: { index, count: 2, whole },
          },
        }),
      );
      log.add(session.key, {
        type: 'turn.stepped',
        data: { turnId: uuid('t'), runId: uuid('r'), step, private: { ...placeOf(parts[0]!), hash: whole } },
      });
    };
    name('hello world', ['hello ', 'world'], 1);
    name('hello there', ['hello '], 2);
    name('hello moon', ['hello ', 'mars'], 3);
    await project(store, log);
    expect(await texts()).toEqual(['hello world']);
  });
});

it('L9 reads a turn, and none where no claim ever stood', async () => {
  session.claim('t', 'r');
  session.claim('void', 'r2', { after: uuid('nothing') });
  await project(store, log);
  expect(await reader().turn(uuid('t'))).toMatchObject({ status: 'running', session_key: session.key });
  expect(await reader().turn(uuid('void'))).toBeUndefined();
});
