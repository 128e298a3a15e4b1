import type { FactData } from '@doorledger/contracts';
import { ledgerReader } from '../ledger-reader.js';
import type { LedgerStore } from '../store.js';
import { type SampleLog, sha } from '../testing/sample-log.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { SampleRequest } from './testing/sample-request.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const ask = (name: string, terms: Partial<FactData<'consent.minted'>> = {}) => new SampleRequest(log, name, terms);
const due = async (now = log.now, limit = 100) => {
  await project(store, log);
  return (await ledgerReader(store, log.topics).dueConsents(now, limit)).map(({ requestId, due }) => [requestId, due]);
};

it('L12 finds a request past its decide-by or spend-by, and no other', async () => {
  const { now } = log;
  ask('by its decide-by', { decideBy: now + 10 });
  ask('by its spend-by', { spendBy: now + 20, decideBy: now + 500 });
  ask('without clocks');
  expect(await due(now + 10)).toEqual([]);
  expect(await due(now + 11)).toEqual([[sha('by its decide-by'), 'expired']]);
  expect(await due(now + 21)).toHaveLength(2);
  expect(await due(now + 21, 1)).toHaveLength(1);
});

it('L12 finds a request whose quorum has stood for 5 s, or that one vote against has declined, and no incomplete one', async () => {
  const both = ask('approved by two', { quorum: 2 });
  const one = ask('approved by one', { quorum: 2 });
  const veto = ask('declined', { quorum: 3 });
  both.vote('ann');
  one.vote('ann');
  one.vote('ann');
  veto.vote('ann');
  log.now += 60_000;
  both.vote('bob');
  veto.vote('bob', false);
  expect(await due(log.now + 4999)).toEqual([]);
  const found = await due(log.now + 5000);
  expect(new Map(found as [string, string][])).toEqual(
    new Map([
      [sha('approved by two'), 'approved'],
      [sha('declined'), 'declined'],
    ]),
  );
});

it('L12 leaves a decided request alone while a run has taken it up, and for 5 s after that run ended without spending it', async () => {
  const request = ask('q', { quorum: 1 });
  request.vote('ann');
  log.now += 10_000;
  request.resume('second');
  log.now += 10_000;
  expect(await due()).toEqual([]);
  request.fail('second');
  expect(await due(log.now + 4999)).toEqual([]);
  expect(await due(log.now + 5000)).toEqual([[sha('q'), 'approved']]);
});

it('L12 has nothing to say of a settled request, nor of a key that a record nobody can read blocks', async () => {
  const settled = ask('settled', { quorum: 1, decideBy: log.now + 1 });
  const blocked = ask('blocked', { quorum: 1, decideBy: log.now + 1 });
  for (const request of [settled, blocked]) request.vote('ann');
  settled.spend('anybody', 'closed');
  expect(await due(log.now + 9000)).toEqual([[sha('blocked'), 'expired']]);
  log.addRaw('doorledger.session.v1', blocked.key, null, { ce_type: 'turn.claimed' });
  expect(await due(log.now + 9000)).toEqual([]);
});

it('L12 names what is past its clock first, however many were asked before', async () => {
  const decided = ask('decided first', { quorum: 1 });
  decided.vote('ann');
  log.now += 100;
  const both = ask('decided, and too late', { quorum: 1, spendBy: log.now });
  both.vote('ann');
  expect(await due(log.now + 5000)).toEqual([
    [sha('decided, and too late'), 'expired'],
    [sha('decided first'), 'approved'],
  ]);
});
