import { topics } from '@doorledger/contracts';
import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, uuid } from '../testing/sample-log.js';
import { SampleSession, ingressOf } from '../testing/sample-facts.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { listIngress } from './ingress.js';
import { countQuarantined, readTopicStatus } from './log-status.js';
import type { Page, PageRequest } from './page.js';
import { listSessions } from './sessions.js';
import { readTimeline } from './timeline.js';
import { readTurnDetail } from './turns.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

/** Every page of a list, read with pages of `limit`. */
async function allPages<T>(list: (request: PageRequest) => Promise<Page<T>>, limit: number): Promise<T[][]> {
  const pages: T[][] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
    const page = await list({ limit, ...(cursor !== undefined && { cursor }) });
    pages.push([...page.items]);
    cursor = page.cursor;
  }
  return pages;
}

describe('sessions', () => {
  it('P2 are listed newest first, each once, in pages that a late session does not shift', async () => {
    for (let i = 0; i < 7; i++) {
      new SampleSession(log, `s${i}`).claim(`t${i}`, `r${i}`);
      log.now += i % 2;
    }
    log.add(uuid('alone'), {
      type: 'turn.claimed',
      data: { turnId: uuid('alone'), runId: uuid('r'), hostId: 'h', bootId: uuid('b'), after: null },
    });
    await project(store, log);
    const first = await listSessions(store.db, { limit: 3 });
    new SampleSession(log, 'late').claim('late', 'late');
    await project(store, log);
    const rest = await allPages((request) => listSessions(store.db, { cursor: first.cursor!, ...request }), 3);
    const refs = [first.items, ...rest].flat().map((item) => item.sessionRef);
    expect(new Set(refs).size).toBe(7);
    expect(new Set(refs)).toEqual(new Set(Array.from({ length: 7 }, (_, i) => ref(`s${i}`))));
    const times = [first.items, ...rest].flat().map((item) => item.lastActivity);
    expect(times).toEqual([...times].sort().reverse());
  });

  it('P2 say what they wait for, and absent facts are absent keys', async () => {
    const session = new SampleSession(log, 's');
    session.claim('t', 'r', { signer: ref('owner') });
    await project(store, log);
    expect((await listSessions(store.db, {})).items).toEqual([
      { sessionRef: ref('s'), owner: ref('owner'), turns: 1, lastActivity: new Date(log.now).toISOString() },
    ]);
  });

  it('P7 refuse a cursor that is not theirs', async () => {
    for (const cursor of ['x', '', Buffer.from('[1]').toString('base64url'), Buffer.from('[{},1]').toString('base64url')])
      await expect(listSessions(store.db, { cursor })).rejects.toMatchObject({ code: 'ERR_INVALID_QUERY' });
  });
});

it('P2 shows a timeline in log order with void records and why they are void', async () => {
  const session = new SampleSession(log, 's');
  session.claim('t', 'r');
  session.renew('t', 'another run');
  session.fail('t', 'r');
  await project(store, log);
  const items = (await allPages(async (request) => (await readTimeline(store.db, session.key, request))!, 2)).flat();
  expect(items.map(({ type, verdict, voidReason }) => [type, verdict, voidReason])).toEqual([
    ['turn.claimed', 'stands', undefined],
    ['turn.renewed', 'void', 'no-run'],
    ['turn.failed', 'stands', undefined],
  ]);
  expect(items[0]).toMatchObject({ data: { turnId: uuid('t') }, position: expect.stringMatching(/^doorledger\.session\.v1:\d:0$/) });
  expect(await readTimeline(store.db, ref('nobody'), {})).toBeUndefined();
});

it('P2 shows a turn with its calls', async () => {
  const session = new SampleSession(log, 's');
  session.claim('t', 'r');
  session.dispatch('t', 'r', 'one');
  log.now += 5;
  session.dispatch('t', 'r', 'two');
  session.finish('t', 'r', 'one', 'error');
  await project(store, log);
  expect(await readTurnDetail(store.db, uuid('t'))).toMatchObject({
    sessionRef: session.key,
    status: 'running',
    toolCalls: [
      { callId: uuid('one'), status: 'error', durationMs: 5 },
      { callId: uuid('two'), status: 'dispatched' },
    ],
  });
  expect(await readTurnDetail(store.db, uuid('nothing'))).toBeUndefined();
});

it('P2 lists ingress records newest first with the fields of spec 5', async () => {
  for (let i = 1; i <= 5; i++) {
    ingressOf(log, i, `s${i}`);
    log.now += 10;
  }
  await project(store, log);
  const pages = await allPages((request) => listIngress(store.db, request), 2);
  expect(pages.map((page) => page.map((item) => item.seq))).toEqual([[5, 4], [3, 2], [1]]);
  expect(pages[2]![0]).toEqual({
    at: new Date(log.now - 50).toISOString(),
    door: 'turn',
    outcome: 'served',
    bearerPresent: true,
    durationMs: 3,
    hostId: 'host-1',
    bootId: uuid('boot-1'),
    seq: 1,
    sessionRef: ref('s1'),
  });
});

it('P2 tells how far the ledger is behind the log, a cut start not counted', async () => {
  const ends = async () => [
    { start: 4, end: 9 },
    { start: 0, end: 3 },
  ];
  const [status] = await readTopicStatus({ ends }, { topic: [2, 3] }, ['topic']);
  expect(status).toMatchObject({
    lag: 5,
    partitions: [
      { applied: 2, lag: 5 },
      { applied: 3, lag: 0 },
    ],
  });
  log.addRaw(topics.ingress.name, 'x', Buffer.from('{'), {});
  await project(store, log);
  expect(await countQuarantined(store.db)).toBe(1);
});
