import type { LedgerStore } from '../store.js';
import { SampleSession, ingressOf } from '../testing/sample-facts.js';
import { type SampleLog, ref, sha, uuid } from '../testing/sample-log.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { sessionSearch } from './found-sessions.js';
import { listIngress } from './ingress.js';
import { listSessions } from './sessions.js';
import { SampleRequest } from './testing/sample-request.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const refOf = (id: string) => ref(id);

async function found(text: string, owner?: string): Promise<readonly string[]> {
  const sought = await sessionSearch(store.db, text, refOf);
  return (await listSessions(store.db, {}, owner === undefined ? {} : { owner }, sought)).items.map(({ sessionRef }) => sessionRef);
}

it('P2 finds a session by its id, its reference or the first digits of it, a turn, a request, a position and its person', async () => {
  const request = new SampleRequest(log, 'a');
  const claimed = new SampleSession(log, 'b').claim('b turn', 'b run', { owner: ref('ann') } as object);
  await project(store, log);
  const [a, b] = [ref('a'), ref('b')];
  for (const text of ['a', a, a.slice(0, 4), a.slice(0, 31), request.turnId, request.id])
    expect([text, await found(text)]).toEqual([text, [a]]);
  expect(await found(`doorledger.session.v1:${claimed.partition}:${claimed.offset}`)).toEqual([b]);
  for (const text of [
    'nobody',
    ref('nobody'),
    '0000',
    uuid('nobody'),
    sha('nobody'),
    'doorledger.ingress.v1:0:0',
    'doorledger.session.v1:0:999',
  ])
    expect([text, await found(text)]).toEqual([text, []]);
});

it('P1 finds nobody else’s session for who sees their own', async () => {
  new SampleRequest(log, 'a');
  await project(store, log);
  expect(await found('a', ref('somebody'))).toEqual([]);
});

it('P2 shows how the doors answered one session', async () => {
  for (let seq = 1; seq <= 4; seq++) ingressOf(log, seq, seq % 2 === 0 ? 'a' : 'b');
  await project(store, log);
  const { items } = await listIngress(store.db, { limit: 10 }, { sessions: [ref('a')] });
  expect(items.map(({ seq, sessionRef }) => [seq, sessionRef]).sort()).toEqual([
    [2, ref('a')],
    [4, ref('a')],
  ]);
  expect((await listIngress(store.db, {})).items.length).toBe(4);
});
