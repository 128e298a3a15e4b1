import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, uuid } from '../testing/sample-log.js';
import { SampleSession } from '../testing/sample-facts.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { listToolCalls, type ToolCallFilter } from './tool-calls.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const list = (filter: ToolCallFilter = {}, page = {}) => listToolCalls(store.db, page, filter);
const idsOf = async (filter: ToolCallFilter) => (await list(filter)).items.map(({ callId }) => callId);

it('P2 finds the calls of which nobody knows the end, with whose they are', async () => {
  const session = new SampleSession(log, 's');
  session.claim('t', 'r');
  session.dispatch('t', 'r', 'lost', { toolSessionId: uuid('tool session') });
  session.dispatch('t', 'r', 'fine');
  session.finish('t', 'r', 'fine');
  const sentAt = new Date(log.now).toISOString();
  log.now += 7;
  session.fail('t', 'r');
  await project(store, log);
  expect((await list({ state: 'outcome-unknown' })).items).toEqual([
    {
      ...{ callId: uuid('lost'), sessionRef: session.key, turnId: uuid('t'), runId: uuid('r'), toolSessionId: uuid('tool session') },
      ...{ server: 'mail', tool: 'send', gated: false, attempt: 1, status: 'outcome-unknown', dispatchedAt: sentAt },
      endedAt: new Date(log.now).toISOString(),
    },
  ]);
});

it('P2 lists calls by their dispatch, newest first, each once, in pages', async () => {
  const session = new SampleSession(log, 's');
  session.claim('t', 'r');
  for (let i = 0; i < 7; i++) {
    session.dispatch('t', 'r', `c${i}`);
    log.now += i % 2;
  }
  await project(store, log);
  const pages = [await list({}, { limit: 3 })];
  while (pages.at(-1)!.cursor !== undefined) pages.push(await list({}, { limit: 3, cursor: pages.at(-1)!.cursor }));
  const items = pages.flatMap((page) => page.items);
  expect(pages.map((page) => page.items.length)).toEqual([3, 3, 1]);
  expect(new Set(items.map((item) => item.callId)).size).toBe(7);
  const times = items.map((item) => item.dispatchedAt!);
  expect(times).toEqual([...times].sort().reverse());
});

it('P2 narrows calls by state, session, turn, server and tool', async () => {
  for (const name of ['a', 'b']) {
    const session = new SampleSession(log, name);
    session.claim(`${name} t`, 'r');
    session.dispatch(`${name} t`, 'r', `${name} sent`);
    session.dispatch(`${name} t`, 'r', `${name} done`, { server: 'files', tool: 'read' });
    session.finish(`${name} t`, 'r', `${name} done`, 'error');
  }
  await project(store, log);
  const cases: [ToolCallFilter, string[]][] = [
    [{ state: 'dispatched' }, ['a sent', 'b sent']],
    [{ state: 'error' }, ['a done', 'b done']],
    [{ state: 'ok' }, []],
    [{ sessions: [ref('a')] }, ['a sent', 'a done']],
    [{ turnId: uuid('b t') }, ['b sent', 'b done']],
    [{ server: 'files' }, ['a done', 'b done']],
    [{ tool: 'send', sessions: [ref('b')] }, ['b sent']],
  ];
  for (const [filter, names] of cases) expect([filter, new Set(await idsOf(filter))]).toEqual([filter, new Set(names.map(uuid))]);
});

it('P1 shows a person the calls of their own sessions and turns, and no others', async () => {
  for (const who of ['ann', 'bob']) {
    const session = new SampleSession(log, who);
    session.claim(`${who} t`, 'r', { signer: ref(who) });
    session.dispatch(`${who} t`, 'r', `${who} call`);
  }
  await project(store, log);
  expect(await idsOf({ owner: ref('ann') })).toEqual([uuid('ann call')]);
  expect(await idsOf({ owner: ref('ann'), turnId: uuid('bob t') })).toEqual([]);
  expect(await idsOf({ owner: '' })).toEqual([]);
});
