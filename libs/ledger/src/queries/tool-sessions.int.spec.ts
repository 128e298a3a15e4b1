import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, uuid } from '../testing/sample-log.js';
import { SampleSession, SampleToolSession } from '../testing/sample-facts.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { listToolSessions, type ToolSessionFilter } from './tool-sessions.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const iso = (ms: number) => new Date(ms).toISOString();
const list = (filter: ToolSessionFilter = {}, page = {}) => listToolSessions(store.db, page, filter, log.now);
const idsOf = async (filter: ToolSessionFilter) => (await list(filter)).items.map(({ toolSessionId }) => toolSessionId);

it('P2 shows a live tool session with its ages by the reader’s clock, and nothing that is not known', async () => {
  const began = log.now;
  const { opened } = new SampleToolSession(log, 'a', { sessionRef: ref('s'), label: 'mailbox' }).start();
  log.now += 10;
  new SampleToolSession(log, 'a', { sessionRef: ref('s'), label: 'mailbox' }).reuse(2);
  await project(store, log);
  log.now += 5;
  const { sessionRef, toolSessionId, keyHash, hostId, bootId, turnId, runId, callId } = opened;
  expect((await list()).items).toEqual([
    {
      ...{ toolSessionId, keyHash, hostId, bootId, sessionRef, turnId, runId, callId },
      ...{ state: 'live', server: 'mail', tool: 'send', scope: 'run', label: 'mailbox', calls: 2 },
      ...{ startedAt: iso(began), usedAt: iso(began + 10), ageMs: 15, idleMs: 5 },
    },
  ]);
});

it('P2 and T40 show an ended one as its first close told, with the call that opened it whoever used it later', async () => {
  const { opened } = new SampleToolSession(log, 'a').start();
  new SampleToolSession(log, 'a', { turnId: uuid('later'), runId: uuid('later'), callId: uuid('later') })
    .reuse(2)
    .close('idle', { errorClass: 'Gone' })
    .close('shutdown');
  await project(store, log);
  const [item] = (await list()).items;
  expect(item).toMatchObject({
    state: 'ended',
    reason: 'idle',
    errorClass: 'Gone',
    ageMs: 9,
    cleanupMs: 2,
    closedAt: iso(log.now),
    calls: 2,
  });
  expect(item).toMatchObject({ turnId: opened.turnId, runId: opened.runId, callId: opened.callId });
  expect(item).not.toHaveProperty('sessionRef');
  expect(item).not.toHaveProperty('idleMs');
});

it('P2 lists them by their start, newest first, each once, in pages that a late one does not shift', async () => {
  for (let i = 0; i < 7; i++) {
    new SampleToolSession(log, `t${i}`).start();
    log.now += i % 2;
  }
  await project(store, log);
  const pages = [await list({}, { limit: 3 })];
  new SampleToolSession(log, 'late').start();
  await project(store, log);
  while (pages.at(-1)!.cursor !== undefined) pages.push(await list({}, { limit: 3, cursor: pages.at(-1)!.cursor }));
  const items = pages.flatMap((page) => page.items);
  expect(pages.map((page) => page.items.length)).toEqual([3, 3, 1]);
  expect(new Set(items.map((item) => item.toolSessionId))).toEqual(new Set(Array.from({ length: 7 }, (_, i) => uuid(`t${i}`))));
  const times = items.map((item) => item.startedAt!);
  expect(times).toEqual([...times].sort().reverse());
});

it('P2 narrows them by state, session, server and reason, and by all of these together', async () => {
  const of = (name: string, server: string) => new SampleToolSession(log, name, { server, sessionRef: ref(name[0]!) }).start();
  of('a live', 'mail');
  of('a idle', 'mail').close('idle');
  of('b lost', 'files').close('host-lost');
  await project(store, log);
  const cases: [ToolSessionFilter, string[]][] = [
    [{ state: 'live' }, ['a live']],
    [{ state: 'ended' }, ['a idle', 'b lost']],
    [{ sessions: [ref('a'), ref('nobody')] }, ['a live', 'a idle']],
    [{ server: 'files' }, ['b lost']],
    [{ reason: 'idle' }, ['a idle']],
    [{ state: 'ended', sessions: [ref('a')], server: 'mail', reason: 'idle' }, ['a idle']],
    [{ state: 'live', reason: 'idle' }, []],
  ];
  for (const [filter, names] of cases) expect([filter, new Set(await idsOf(filter))]).toEqual([filter, new Set(names.map(uuid))]);
});

it('P1 shows a person what their own sessions and turns opened, and nothing else', async () => {
  for (const who of ['ann', 'bob']) {
    const session = new SampleSession(log, `${who}’s`);
    session.claim(`${who} t`, `${who} r`, { signer: ref(who) });
    new SampleToolSession(log, `${who} in session`, { sessionRef: session.key, turnId: uuid(`${who} t`) }).start();
    const turnId = uuid(`${who} alone`);
    const data = { turnId, runId: uuid('r'), hostId: 'h', bootId: uuid('b'), after: null, signer: ref(who) };
    log.add(turnId, { type: 'turn.claimed', data });
    new SampleToolSession(log, `${who} without session`, { turnId }).start();
  }
  new SampleToolSession(log, 'of a turn nobody claimed').start();
  await project(store, log);
  expect(new Set(await idsOf({ owner: ref('ann') }))).toEqual(new Set([uuid('ann in session'), uuid('ann without session')]));
  expect(await idsOf({ owner: ref('ann'), sessions: [ref('bob’s')] })).toEqual([]);
  expect(await idsOf({ owner: '' })).toEqual([]);
  expect(await idsOf({})).toHaveLength(5);
});
