import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord, type RecordBatch } from '@doorledger/event-log';
import type { Freeze } from '@doorledger/ledger';
import { FreezeBook } from './freezes.js';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const ref = (digit: string) => digit.repeat(32);
const by = ref('b');
const setOf = (n: number, target: Freeze['target']): Fact => ({
  type: 'freeze.set',
  data: { freezeId: id(n), target, by, why: 'because' },
});
const liftOf = (n: number): Fact => ({ type: 'freeze.lifted', data: { freezeId: id(n), by } });

function batchOf(...facts: readonly Fact[]): RecordBatch {
  const records = facts.map((fact, offset) => {
    const { value, headers } = encode(eventOf(fact, { source: '/doorledger/test/host', now: () => 7 }));
    return new StoredRecord(topics.system.name, 0, offset, 5 + offset, 1, 'key', value, headers);
  });
  return { topic: topics.system.name, partition: 0, records };
}

function bookOf(...facts: readonly Fact[]): FreezeBook {
  const book = new FreezeBook();
  book.apply(batchOf(...facts));
  return book;
}

const call = { server: 'files', tool: 'write', tenantRef: ref('1'), userRef: ref('2') };

it.each<[Freeze['target'], object]>([
  [
    { kind: 'tool', name: 'files.write' },
    { ...call, tool: 'read' },
  ],
  [
    { kind: 'server', name: 'files' },
    { ...call, server: 'mail' },
  ],
  [
    { kind: 'tenant', name: ref('1') },
    { ...call, tenantRef: ref('9') },
  ],
  [
    { kind: 'user', name: ref('2') },
    { ...call, userRef: ref('9') },
  ],
])('P6 stops exactly what %j names', (target, other) => {
  const book = bookOf(setOf(1, target));
  expect(book.frozenBy(call)).toBe(id(1));
  expect(book.frozenBy(other)).toBeUndefined();
  expect(book.frozenBy({})).toBeUndefined();
});

it('P6 stops all work by a freeze of everything, also where nothing is known of it', () => {
  const book = bookOf(setOf(1, { kind: 'everything' }));
  expect([book.frozenBy(call), book.frozenBy({})]).toEqual([id(1), id(1)]);
});

it('P6 takes no kind of name for another one', () => {
  const book = bookOf(setOf(1, { kind: 'tenant', name: ref('2') }), setOf(2, { kind: 'server', name: 'files.write' }));
  expect(book.frozenBy(call)).toBeUndefined();
});

it('P6 holds until the last freeze of a target is lifted', () => {
  const server = { kind: 'server', name: 'files' } as const;
  const book = bookOf(setOf(1, server), setOf(2, server), liftOf(1));
  expect(book.frozenBy(call)).toBe(id(2));
  book.apply(batchOf(liftOf(2)));
  expect([book.frozenBy(call), book.isEmpty]).toEqual([undefined, true]);
});

it('P6 lets the first set of an id stand and never revives what was lifted, whatever copies are on the log', () => {
  const book = bookOf(setOf(1, { kind: 'server', name: 'files' }), setOf(1, { kind: 'server', name: 'mail' }));
  expect(book.frozenBy(call)).toBe(id(1));
  expect(book.frozenBy({ server: 'mail' })).toBeUndefined();
  book.apply(batchOf(liftOf(1), setOf(1, { kind: 'server', name: 'files' }), liftOf(2), setOf(2, { kind: 'everything' })));
  expect([book.frozenBy(call), book.stateOf(id(1)), book.stateOf(id(2)), book.stateOf(id(3))]).toEqual([
    undefined,
    'lifted',
    'lifted',
    undefined,
  ]);
});

it('P6 tells when the tail has met that a freeze was set, and that it was lifted', async () => {
  const book = new FreezeBook();
  const set = book.met(id(1), 'live', 60_000);
  const lifted = book.met(id(1), 'lifted', 60_000);
  book.apply(batchOf(setOf(2, { kind: 'everything' })));
  expect(await book.met(id(1), 'live', 0)).toBe(false);
  book.apply(batchOf(setOf(1, { kind: 'everything' })));
  expect(await set).toBe(true);
  expect(await book.met(id(1), 'lifted', 0)).toBe(false);
  book.apply(batchOf(liftOf(1)));
  expect([await lifted, await book.met(id(1), 'live', 0)]).toEqual([true, true]);
});

it('P6 goes on from what the ledger knows, and what the tail meets once more changes nothing', () => {
  const facts = [setOf(1, { kind: 'server', name: 'files' }), setOf(2, { kind: 'everything' }), liftOf(2)];
  const whole = bookOf(...facts);
  const seeded = new FreezeBook();
  seeded.seed({ live: whole.live, lifted: [id(2)] });
  expect(seeded.live).toEqual([{ freezeId: id(1), target: { kind: 'server', name: 'files' }, by, why: 'because', setAt: 5 }]);
  seeded.apply(batchOf(...facts));
  expect(seeded.live).toEqual(whole.live);
  expect(seeded.stateOf(id(2))).toBe('lifted');
});
