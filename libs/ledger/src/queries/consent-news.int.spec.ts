import { topics } from '@doorledger/contracts';
import { PostgresGenerations } from '../postgres/generations.js';
import { specDatabases } from '../postgres/testing/spec-database.js';
import type { LedgerStore } from '../store.js';
import { SampleLog, ref, sha, uuid } from '../testing/sample-log.js';
import { closeTemporaryLedgers, project, temporaryLedger } from '../testing/temporary-ledger.js';
import { readConsentNews, type ConsentNews } from './consent-news.js';
import { SampleRequest } from './testing/sample-request.js';

const newDatabase = specDatabases();
let log: SampleLog;
let sqlite: LedgerStore;
beforeEach(() => {
  log = new SampleLog();
  sqlite = temporaryLedger();
});
afterEach(closeTemporaryLedgers);

/** All news of every partition, in ranges of `limit` offsets. */
async function everything({ db }: LedgerStore, limit = 1000): Promise<ConsentNews[]> {
  const found: ConsentNews[] = [];
  for (let partition = 0; partition < log.topics.get(topics.session.name)!; partition++)
    for (let from = 0, end = 1; from < end;) {
      const range = await readConsentNews(db, partition, from, limit);
      found.push(...range.news);
      ({ to: from, end } = range);
    }
  return found;
}
const told = (news: readonly ConsentNews[], name: string) =>
  news.flatMap(({ kind, consent }) => (consent.requestId === sha(name) ? [[kind, consent.state, consent.became.state]] : []));
/** Reads after each step, as a worker that keeps up does. */
async function after(step: () => void): Promise<ConsentNews[]> {
  const from = await Promise.all(
    Array.from({ length: log.topics.get(topics.session.name)! }, async (_, p) => (await readConsentNews(sqlite.db, p, 1e9, 1)).end),
  );
  log.now += 1;
  step();
  await project(sqlite, log);
  const ranges = await Promise.all(from.map((offset, p) => readConsentNews(sqlite.db, p, offset, 1000)));
  return ranges.flatMap(({ news }) => news);
}

it('N54 tells that a request waits, how it was settled and by whom, and what became of its call, each once and when it is known', async () => {
  let request!: SampleRequest;
  const waiting = await after(() => (request = new SampleRequest(log, 'q', {}, { tenantRef: ref('acme') })));
  expect(told(waiting, 'q')).toEqual([['waiting', 'pending', 'pending']]);
  expect(waiting[0]).toMatchObject({ at: log.now, tenantRef: ref('acme'), consent: { server: 'mail', tool: 'send', party: ref('party') } });
  expect(await after(() => request.resume('r2'))).toEqual([]);
  const settled = await after(() => request.spend('r2', 'approved', { by: ref('tina') }));
  expect(told(settled, 'q')).toEqual([['settled', 'approved', 'under-way']]);
  expect(settled[0]!.consent).toMatchObject({ settledBy: ref('tina'), settledAt: new Date(log.now).toISOString() });
  expect(await after(() => request.dispatch('r2'))).toEqual([]);
  expect(told(await after(() => request.finish('r2')), 'q')).toEqual([['outcome', 'approved', 'ran']]);
  expect(await after(() => request.fail('r2'))).toEqual([]);
});

it('N54 tells of a call whose end nobody knows, and again when its host or a person says what became of it', async () => {
  const [late, judged] = ['late', 'judged'].map((name) => {
    const request = new SampleRequest(log, name);
    request.resume('r2');
    request.spend('r2', 'approved');
    request.dispatch('r2');
    return request;
  }) as [SampleRequest, SampleRequest];
  await after(() => {});
  const lost = await after(() => [late, judged].forEach((request) => request.fail('r2')));
  expect([...told(lost, 'late'), ...told(lost, 'judged')]).toEqual(Array(2).fill(['outcome', 'approved', 'outcome-unknown']));
  expect(told(await after(() => late.finish('r2')), 'late')).toEqual([['outcome', 'approved', 'ran']]);
  const word = { callId: judged.callId, attempt: 1, verdict: 'did-not-run', by: ref('olga') } as const;
  const said = await after(() => log.add(judged.key, { type: 'tool-call.reconciled', data: word }));
  expect(told(said, 'judged')).toEqual([['outcome', 'approved', 'did-not-run']]);
});

it('N54 and N22 tell of an approved call that was not sent and never will be, also where a next claim finds its run lapsed', async () => {
  const ended = new SampleRequest(log, 'ended');
  const lapsed = new SampleRequest(log, 'lapsed');
  for (const request of [ended, lapsed]) {
    request.resume('r2');
    request.spend('r2', 'approved');
  }
  await after(() => {});
  expect(told(await after(() => ended.fail('r2')), 'ended')).toEqual([['outcome', 'approved', 'spent-not-run']]);
  log.now += 60_000;
  const found = await after(() => lapsed.session.claim('next turn', 'r3', { after: uuid('r2') }));
  expect(told(found, 'lapsed')).toEqual([['outcome', 'approved', 'spent-not-run']]);
});

it('N54 tells of a decline, a close, an expiry and the end of the session, and of nothing that was tried in vain', async () => {
  const names = ['declined', 'closed', 'expired', 'ended'] as const;
  const requests = new Map(names.map((name) => [name, new SampleRequest(log, name, name === 'expired' ? { decideBy: log.now } : {})]));
  await after(() => {});
  const news = await after(() => {
    requests.get('declined')!.resume('r2');
    requests.get('declined')!.spend('r2', 'declined');
    requests.get('closed')!.spend('x', 'closed');
    requests.get('closed')!.spend('y', 'closed');
    requests.get('expired')!.spend('x', 'expired');
    requests.get('ended')!.session.close();
  });
  expect(names.map((name) => told(news, name))).toEqual(
    ['declined', 'closed', 'expired', 'closed'].map((state) => [['settled', state, 'never-ran']]),
  );
});

it('N54 and N52 have nothing to tell of a request under a grant: nobody was asked', async () => {
  const session = new SampleRequest(log, 'asks').session;
  await after(() => {});
  const grant = uuid('grant');
  const news = await after(() => {
    session.log.add(session.key, {
      type: 'consent.spent',
      data: { requestId: sha('asks'), claimId: uuid('x'), verdict: 'closed', by: ref('party') },
    });
    session.claim('t2', 'r2');
    const minted = {
      turnId: uuid('t2'),
      runId: uuid('r2'),
      callId: uuid('granted call'),
      gate: 'checkIn',
      server: 'mail',
      tool: 'send',
    } as const;
    log.add(session.key, {
      type: 'consent.minted',
      data: { ...minted, requestId: sha('granted'), toolHash: sha('tool'), ledger: uuid('log'), partyRef: ref('party'), grant },
    });
    log.add(session.key, { type: 'consent.spent', data: { requestId: sha('granted'), claimId: uuid('r2'), verdict: 'approved', grant } });
    session.dispatch('t2', 'r2', 'granted call', { gated: true, requestId: sha('granted') });
    session.finish('t2', 'r2', 'granted call');
  });
  expect(news.map(({ consent }) => consent.requestId)).toEqual([sha('asks')]);
});

it('N54 tells the same in whatever ranges it is read, from PostgreSQL and from SQLite', async () => {
  for (let i = 0; i < 12; i++) {
    const request = new SampleRequest(log, `q${i}`);
    log.now += 3;
    if (i % 3 === 0) request.spend('x', 'closed');
    if (i % 3 !== 1) continue;
    request.resume('r2');
    request.spend('r2', 'approved');
    log.now += 1;
    request.dispatch('r2');
    log.now += 1;
    if (i % 2) request.finish('r2');
    else request.fail('r2');
  }
  const generations = await PostgresGenerations.open({ url: await newDatabase() });
  const { store: postgres } = await generations.openLive();
  await generations.close();
  for (const store of [postgres, sqlite]) await project(store, log);
  const whole = await everything(sqlite);
  expect(whole).toHaveLength(12 + 8 + 4);
  expect(await everything(sqlite, 3)).toEqual(whole);
  expect(await everything(postgres, 7)).toEqual(whole);
  await postgres.close();
});
