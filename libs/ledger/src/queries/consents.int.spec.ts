import type { LedgerStore } from '../store.js';
import { SampleSession } from '../testing/sample-facts.js';
import { type SampleLog, ref, sha, uuid } from '../testing/sample-log.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { readConsent } from './consent-detail.js';
import { listConsents, type ConsentFilter } from './consents.js';
import { SampleRequest } from './testing/sample-request.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const list = (filter: ConsentFilter = {}, page = {}) => listConsents(store.db, page, filter);
const idsOf = async (filter: ConsentFilter) => (await list(filter)).items.map(({ requestId }) => requestId);
const ask = (...args: [string, ConstructorParameters<typeof SampleRequest>[2]?, ConstructorParameters<typeof SampleRequest>[3]?]) =>
  new SampleRequest(log, ...args);

it('P2 shows all that is public of a waiting request, with the votes it has', async () => {
  const mintedAt = log.now;
  const terms = {
    gate: 'ask',
    rule: 'payments',
    quorum: 3,
    decideBy: mintedAt + 10,
    spendBy: mintedAt + 20,
    replaces: sha('old'),
  } as const;
  const request = ask('q', terms);
  request.vote('ann');
  request.vote('ann');
  request.vote('bob');
  await project(store, log);
  const iso = (ms: number) => new Date(ms).toISOString();
  expect((await list()).items).toEqual([
    {
      ...{ requestId: sha('q'), state: 'pending', became: { state: 'pending' }, turnId: request.turnId, callId: request.callId },
      ...{
        sessionRef: request.key,
        party: ref('party'),
        gate: 'ask',
        rule: 'payments',
        server: 'mail',
        tool: 'send',
        toolHash: sha('tool'),
      },
      ...{ quorum: 3, votes: { have: 2, need: 3 }, decideBy: iso(mintedAt + 10), spendBy: iso(mintedAt + 20), replaces: sha('old') },
      mintedAt: iso(mintedAt),
    },
  ]);
});

it('P2 and N12 say how a request was settled, by whom, and what became of its call', async () => {
  const ran = ask('ran');
  ran.resume('r2');
  ran.spend('r2', 'approved', { by: ref('boss') });
  ran.dispatch('r2');
  ran.finish('r2', 'error');
  const lost = ask('lost');
  lost.resume('r2');
  lost.spend('r2', 'approved');
  lost.dispatch('r2');
  lost.fail('r2');
  const spent = ask('spent');
  spent.resume('r2');
  spent.spend('r2', 'approved');
  spent.fail('r2');
  ask('withdrawn').spend('x', 'closed', { by: ref('ann'), reason: 'withdrawn' });
  ask('closed').session.close('operator');
  await project(store, log);
  const items = new Map((await list()).items.map((item) => [item.requestId, item]));
  const settledAt = new Date(log.now).toISOString();
  expect(items.get(sha('ran'))).toMatchObject({ state: 'approved', settledBy: ref('boss'), settledAt, became: { state: 'ran' } });
  expect(items.get(sha('lost'))).toMatchObject({ state: 'approved', became: { state: 'outcome-unknown' } });
  expect(items.get(sha('spent'))).toMatchObject({ state: 'approved', became: { state: 'spent-not-run' } });
  const closed = { state: 'closed', became: { state: 'never-ran', by: 'closed' } };
  expect(items.get(sha('withdrawn'))).toMatchObject({ ...closed, settledBy: ref('ann'), reason: 'withdrawn' });
  expect(items.get(sha('closed'))).toMatchObject({ ...closed, reason: 'operator' });
});

it('P2 narrows requests by state, server, tool, session and turn', async () => {
  const mail = ask('mail');
  const files = ask('files', { server: 'files', tool: 'write' });
  files.spend('x', 'closed');
  await project(store, log);
  for (const filter of [
    { state: 'pending' },
    { server: 'mail' },
    { tool: 'send' },
    { sessions: [mail.key] },
    { turnId: mail.turnId },
  ] as const)
    expect([filter, await idsOf(filter)]).toEqual([filter, [mail.id]]);
  for (const filter of [{ state: 'closed' }, { server: 'files' }, { tool: 'write', state: 'closed' }] as const)
    expect([filter, await idsOf(filter)]).toEqual([filter, [files.id]]);
  expect(await idsOf({ state: 'void' })).toEqual([]);
  expect(await idsOf({ state: 'pending', server: 'files' })).toEqual([]);
});

const acme = { tenantRef: ref('acme') };

it('P1 shows a person their own requests, and an approver beside them what waits in their tenant', async () => {
  const mine = ask('mine', { partyRef: ref('me') }, acme);
  const old = ask('old', { partyRef: ref('me') });
  old.spend('x', 'closed');
  const theirs = ask('theirs', {}, acme);
  ask('settled', {}, acme).spend('x', 'closed');
  const elsewhere = ask('elsewhere', {}, { tenantRef: ref('other') });
  const nowhere = ask('nowhere');
  await project(store, log);
  const party = ref('me');
  const seen = async (filter: ConsentFilter) => new Set(await idsOf(filter));
  expect(await seen({ sight: { party } })).toEqual(new Set([mine.id, old.id]));
  expect(await seen({ sight: { party: '' } })).toEqual(new Set());
  expect(await seen({ sight: { party, decidesIn: acme } })).toEqual(new Set([mine.id, old.id, theirs.id]));
  expect(await seen({ sight: { party, decidesIn: { tenantRef: null } } })).toEqual(new Set([mine.id, old.id, nowhere.id]));
  expect(await seen({ sight: { party, decidesIn: acme }, state: 'pending' })).toEqual(new Set([mine.id, theirs.id]));
  expect(await seen({ sight: { party, decidesIn: acme }, state: 'closed' })).toEqual(new Set([old.id]));
  expect(await seen({ sight: { party, decidesIn: acme }, sessions: [elsewhere.key] })).toEqual(new Set());
});

it('P2 lists requests newest first, each once, in pages, also where two kinds of them lie side by side', async () => {
  for (let i = 0; i < 9; i++) {
    ask(`q${i}`, i % 3 ? {} : { partyRef: ref('me') });
    log.now += i % 2;
  }
  await project(store, log);
  for (const sight of [undefined, { party: ref('me'), decidesIn: { tenantRef: null } }]) {
    const filter = sight ? { sight } : {};
    const pages = [await list(filter, { limit: 4 })];
    while (pages.at(-1)!.cursor !== undefined) pages.push(await list(filter, { limit: 4, cursor: pages.at(-1)!.cursor }));
    expect(pages.map((page) => page.items.length)).toEqual([4, 4, 1]);
    const items = pages.flatMap((page) => page.items);
    expect(new Set(items.map((item) => item.requestId)).size).toBe(9);
    const places = items.map(({ mintedAt, requestId }) => `${mintedAt} ${requestId}`);
    expect(places).toEqual([...places].sort().reverse());
  }
});

it('P2 tells of one request everything that was tried on it, standing or void, in the order of the log', async () => {
  const request = ask('q', { quorum: 1 });
  request.vote('ann');
  request.vote('ann', false);
  request.resume('r2');
  request.spend('r1', 'approved');
  request.spend('r2', 'approved', { by: ref('ann') });
  request.spend('x', 'closed');
  await project(store, log);
  const { attempts, ...consent } = (await readConsent(store.db, request.id))!;
  expect(consent).toEqual((await list()).items[0]);
  const at = new Date(log.now).toISOString();
  const place = { at, partition: expect.any(Number) as number, offset: expect.any(Number) as number };
  expect(attempts).toEqual([
    { kind: 'voted', verdict: 'approved', by: ref('ann'), stands: true, ...place },
    { kind: 'voted', verdict: 'declined', by: ref('ann'), stands: false, voidReason: 'voted', ...place },
    { kind: 'spent', verdict: 'approved', stands: false, voidReason: 'no-run', ...place },
    { kind: 'spent', verdict: 'approved', by: ref('ann'), stands: true, ...place },
    { kind: 'spent', verdict: 'closed', stands: false, voidReason: 'not-pending', ...place },
  ]);
  expect(await readConsent(store.db, sha('nothing'))).toBeUndefined();
});

it('P1 shows one request to its party, while it waits to its tenant’s approvers, and later to those who had a say in it', async () => {
  const request = ask('q', { quorum: 2 }, acme);
  request.vote('ann');
  const sees = async (party: string, decidesIn?: { tenantRef: string | null }) =>
    (await readConsent(store.db, request.id, { party: ref(party), ...(decidesIn && { decidesIn }) })) !== undefined;
  await project(store, log);
  expect(await Promise.all([sees('party'), sees('ann'), sees('ann', acme), sees('bob', acme)])).toEqual([true, false, true, true]);
  expect(await Promise.all([sees('bob', { tenantRef: null }), sees('bob', { tenantRef: ref('other') })])).toEqual([false, false]);
  request.spend('x', 'closed');
  await project(store, log);
  expect(await Promise.all([sees('party'), sees('ann', acme), sees('bob', acme)])).toEqual([true, true, false]);
});

it('N9 shows no request before its pause followed, and a void one where it did not', async () => {
  const session = new SampleSession(log, 'q');
  const run = { turnId: uuid('t'), runId: uuid('r') };
  const call = { callId: uuid('call'), gate: 'checkIn', server: 'mail', tool: 'send', toolHash: sha('tool') } as const;
  session.claim('t', 'r');
  log.add(session.key, {
    type: 'consent.minted',
    data: { ...run, ...call, requestId: sha('q'), ledger: uuid('log'), partyRef: ref('me') },
  });
  await project(store, log);
  expect([await idsOf({}), await readConsent(store.db, sha('q'))]).toEqual([[], undefined]);
  session.renew('t', 'r');
  await project(store, log);
  expect(await readConsent(store.db, sha('q'))).toMatchObject({ state: 'void', became: { state: 'never-ran', by: 'void' } });
  expect([await idsOf({ state: 'pending' }), await idsOf({ state: 'void' })]).toEqual([[], [sha('q')]]);
});
