import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord } from '@doorledger/event-log';
import { grantKey, readGrantRecord } from '@doorledger/ledger';
import { GrantBook } from './grant-book.js';

const topic = topics.spend.name;
const [one, two] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const [ann, eve] = ['a'.repeat(32), 'e'.repeat(32)] as const;
const hash = 'f'.repeat(64);
const origin = { source: '/doorledger/test/host', now: () => 1000 };

const created = (grantId: string, more: object = {}): Fact => ({
  type: 'grant.created',
  data: { grantId, userRef: ann, server: 's', tool: 't', toolHash: hash, schemaHash: hash, by: eve, count: 2, ...more },
});
const used = (grantId: string, n: number): Fact => ({
  type: 'grant.used',
  data: { grantId, useId: `00000000-0000-4000-8000-00000000001${n}`, requestId: hash },
});
const revoked = (grantId: string): Fact => ({ type: 'grant.revoked', data: { grantId, by: ann } });

const recordsOf = (facts: readonly Fact[]) =>
  facts.map((fact, offset) => {
    const { value, headers } = encode(eventOf(fact, origin));
    return new StoredRecord(topic, 0, offset, 1000, 1, grantKey((fact.data as { grantId: string }).grantId), value, headers);
  });
const ids = (book: GrantBook, person: string) => book.of(person, 1000).map(({ grantId }) => grantId);

it('N52 lists what is in force by whom it covers and by whom it was given, and nothing that is over', () => {
  const book = new GrantBook();
  const records = recordsOf([created(one), created(two), used(one, 1), used(one, 2), revoked(two)]);
  book.apply({ topic, partition: 0, records: records.slice(0, 3) });
  expect([ids(book, ann), ids(book, eve), book.live(one, 1000)?.usesLeft]).toEqual([[one, two], [one, two], 1]);
  book.apply({ topic, partition: 0, records: records.slice(3) });
  expect([ids(book, ann), ids(book, eve), book.all(1000)]).toEqual([[], [], []]);
});

it('N52 forgets no end: a late copy of its first record does not bring a grant back', () => {
  const book = new GrantBook();
  book.apply({
    topic,
    partition: 0,
    records: recordsOf([created(one), revoked(one), created(two), used(two, 1), used(two, 2), created(one), created(two)]),
  });
  expect(book.all(1000)).toEqual([]);
});

it('L9 comes to the same from the ledger and the tail, wherever the one ends and however far both overlap', () => {
  const records = recordsOf([created(one), used(one, 1), created(two), used(one, 1), used(two, 1), used(two, 2), used(one, 3)]);
  const whole = new GrantBook();
  whole.apply({ topic, partition: 0, records });
  for (let cut = 0; cut <= records.length; cut++) {
    for (let from = 0; from <= cut; from++) {
      const book = new GrantBook();
      book.seed([records.slice(0, cut).map((record) => readGrantRecord(record)!)]);
      book.apply({ topic, partition: 0, records: records.slice(from) });
      expect([book.all(1000), ids(book, ann)]).toEqual([whole.all(1000), ids(whole, ann)]);
    }
  }
});

it('L8 takes a record whose kind cannot be read for a revocation, and one of another grant for none of its own', () => {
  const book = new GrantBook();
  book.apply({ topic, partition: 0, records: recordsOf([created(one), created(two)]) });
  const { value, headers } = encode(eventOf(revoked(two), origin));
  book.apply({ topic, partition: 0, records: [new StoredRecord(topic, 0, 2, 1000, 1, grantKey(one), Buffer.from('{'), {})] });
  expect(ids(book, ann)).toEqual([two]);
  book.apply({ topic, partition: 0, records: [new StoredRecord(topic, 0, 3, 1000, 1, 'spend/other', value, headers)] });
  expect(ids(book, ann)).toEqual([two]);
});

it('N52 is in force until its last moment', () => {
  const book = new GrantBook();
  book.apply({ topic, partition: 0, records: recordsOf([created(one, { until: 1500 })]) });
  expect([1500, 1501].map((now) => book.live(one, now) !== undefined)).toEqual([true, false]);
});
