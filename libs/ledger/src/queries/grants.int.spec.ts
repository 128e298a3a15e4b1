import type { Fact } from '@doorledger/contracts';
import { ledgerReader } from '../ledger-reader.js';
import { grantKey, readGrantRecord } from '../projection/grant-record.js';
import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, sha, uuid } from '../testing/sample-log.js';
import { closeTemporaryLedgers, digestOf, logAndLedger, project, temporaryLedger } from '../testing/temporary-ledger.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const say = (name: string, fact: Fact) => log.add(grantKey(uuid(name)), fact);
const create = (name: string, more: object = {}) =>
  say(name, {
    type: 'grant.created',
    data: {
      grantId: uuid(name),
      userRef: ref('ann'),
      server: 's',
      tool: 't',
      toolHash: sha('t'),
      schemaHash: sha('p'),
      by: ref('eve'),
      ...more,
    },
  });
const use = (name: string, n: string) =>
  say(name, { type: 'grant.used', data: { grantId: uuid(name), useId: uuid(n), requestId: sha(n) } });
const revoke = (name: string) => say(name, { type: 'grant.revoked', data: { grantId: uuid(name), by: ref('ann') } });
const reader = () => ledgerReader(store, log.topics);

it('N52 gives each grant back as the log tells of it: the first record that made it and that revoked it, and every use', async () => {
  const place = { partition: 1, offset: 7, hash: sha('place') };
  const told = [create('a', { until: log.now + 5, count: 3, private: place }), use('a', '1'), use('a', '1'), revoke('a'), use('a', '2')];
  create('a', { count: 9 });
  revoke('a');
  await project(store, log);
  expect(await reader().grant(uuid('a'))).toEqual(told.map((record) => readGrantRecord(record)));
  expect(await reader().grant(uuid('b'))).toBeUndefined();
});

it('L8 keeps a use that cannot be read as one, and takes a record of no kind for a revocation', async () => {
  const { topic } = create('a');
  log.addRaw(topic, grantKey(uuid('a')), Buffer.from('{'), { ce_type: 'grant.used' });
  log.addRaw(topic, grantKey(uuid('a')), Buffer.from('{'), {});
  await project(store, log);
  expect((await reader().grant(uuid('a')))!.map(({ type, data }) => [type, data !== undefined])).toEqual([
    ['grant.created', true],
    ['grant.used', false],
    ['grant.revoked', false],
  ]);
});

it('N52 lists what may still be used, and what was made or revoked lately', async () => {
  const { now } = log;
  for (const name of ['open', 'dated', 'past', 'revoked', 'revoked lately'])
    create(name, { dated: { until: now + 1000 }, past: { until: now + 10 } }[name]);
  revoke('revoked');
  log.now += 500;
  revoke('revoked lately');
  create('new', { until: now });
  await project(store, log);
  const ids = (await reader().grants(now + 500, now + 500)).map(([record]) => record!.grantId);
  expect(ids.sort()).toEqual(['open', 'dated', 'revoked lately', 'new'].map(uuid).sort());
});

it('X0 makes the same rows of the same log, however its records come', async () => {
  create('a');
  use('a', '1');
  revoke('a');
  create('a');
  use('a', '2');
  await project(store, log);
  const other = temporaryLedger();
  await project(other, log, log.batches(1));
  expect(await digestOf(other)).toBe(await digestOf(store));
});
