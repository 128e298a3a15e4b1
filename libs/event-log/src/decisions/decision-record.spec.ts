import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord } from '../stored-record.js';
import { decisionKey, firstSpend, isNamespace, readDecisionSpend } from './decision-record.js';

const claimId = '00000000-0000-4000-8000-000000000001';
const origin = { source: '/doorledger/test/host', now: () => 1 };
const fact: Fact = { type: 'decision.spent', data: { namespace: 'shop', id: 'closed-proven:7', claimId } };
const { value, headers } = encode(eventOf(fact, origin));
const record = (key: string, body: Uint8Array | null = value, of: Readonly<Record<string, string>> = headers) =>
  new StoredRecord(topics.spend.name, 0, 7, 1, 1, key, body, of);
const key = decisionKey('shop', 'closed-proven:7');

it('N40 takes a spend for its claim’s, by its key alone', () => {
  expect(readDecisionSpend(record(key))).toEqual({ claimId, offset: 7 });
  expect(readDecisionSpend(record('shop/other'))).toEqual({ claimId, offset: 7 });
});

it.each<[string, StoredRecord]>([
  ['a body that is cut', record(key, value.subarray(0, 20))],
  ['no body', record(key, null)],
  ['a body without a claim', record(key, Buffer.from('{"data":{}}'))],
  ['a claim that is no text', record(key, Buffer.from('{"data":{"claimId":7}}'))],
  ['a claim that is empty', record(key, Buffer.from('{"data":{"claimId":""}}'))],
  ['no kind', record(key, value, {})],
])('L8 and N40 take a record with %s for a spend that is nobody’s', (_, unreadable) => {
  expect(readDecisionSpend(unreadable)).toEqual({ claimId: null, offset: 7 });
});

it('L8 ignores a kind of a later release, and the keys of grants', () => {
  expect(readDecisionSpend(record(key, value, { ...headers, ce_type: 'decision.annulled' }))).toBeUndefined();
  expect(readDecisionSpend(record('grant/7', value, {}))).toBeUndefined();
});

it('N40 lets the first record of a key stand, in whatever order two are told', () => {
  const [early, late] = [
    { claimId: 'a', offset: 1 },
    { claimId: 'b', offset: 2 },
  ];
  expect([firstSpend(early, late), firstSpend(late, early), firstSpend(undefined, late), firstSpend(early, undefined)]).toEqual([
    early,
    early,
    late,
    early,
  ]);
  expect(firstSpend(undefined, undefined)).toBeUndefined();
});

it('N40 has no namespace whose keys are another’s, or a grant’s', () => {
  for (const name of ['default', 'Shop.eu-1_x', `${'a'.repeat(32)}:shop`, 'a'.repeat(100)])
    expect([name, isNamespace(name)]).toEqual([name, true]);
  for (const name of ['', 'grant', 'a/b', '.a', 'a b', 'é', 'a'.repeat(101)]) expect([name, isNamespace(name)]).toEqual([name, false]);
});
