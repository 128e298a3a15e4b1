import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord } from '@doorledger/event-log';
import { PlacesOnLog } from './places-on-log.js';
import { bootId, entry, refusal } from '../../libs/doors/src/ingress/testing/recorded-log.js';

const place = { hostId: 'h', bootId };
const record = (seq: number): Fact => ({ type: 'ingress.recorded', data: { ...(seq % 2 ? entry : refusal), ...place, seq } });
const count = (seqs: [number, number][], count: number): Fact => ({
  type: 'ingress.counted',
  data: { ...place, reason: 'unrouted', from: 1, to: 2, count, seqs },
});
const alive = (lastSeq: number): Fact => ({
  type: 'host.alive',
  data: { ...place, version: '1', foldVersion: 1, lastSeq, durableSeq: 0 },
});

/** A log of a life of 8 requests: 1, 2, 3 and 7 have records, 4 to 6 and 8 are in a count. */
const sound = (): Fact[] => [
  record(1),
  record(3),
  record(2),
  record(7),
  count(
    [
      [4, 3],
      [2, 1],
    ],
    4,
  ),
  alive(8),
];

function lifeOn(facts: readonly Fact[]) {
  const log = new PlacesOnLog();
  for (const [offset, fact] of facts.entries()) {
    const { value, headers } = encode(eventOf(fact, { source: '/doorledger/t/h', now: () => 0 }));
    const stored = new StoredRecord(topics.ingress.name, 0, offset, 0, 1, 'h', value, headers);
    for (let copy = 0; copy < 2; copy++) log.see(stored);
  }
  return log.lives()[0]!;
}

const clean = { issued: 8, recorded: 4, counted: 4, missing: [], doubled: [], overlapping: [], miscounted: 0 };

it('E12 finds nothing in a log that tells of every place once, copies or not', () => {
  expect(lifeOn(sound())).toMatchObject(clean);
});

it.each<[string, (facts: Fact[]) => void, object]>([
  ['a missing record', (facts) => facts.splice(1, 1), { recorded: 3, missing: [3] }],
  ['a missing count', (facts) => facts.splice(4, 1), { counted: 0, missing: [4, 5, 6, 8] }],
  ['places that the host has issued and nothing tells of', (facts) => facts.push(alive(10)), { issued: 10, missing: [9, 10] }],
  ['a place of two records', (facts) => facts.push(record(3)), { recorded: 5, doubled: [3] }],
  ['a record in a count', (facts) => facts.push(record(5)), { recorded: 5, overlapping: [5] }],
  ['a count over a record', (facts) => facts.push(count([[7, 1]], 1)), { counted: 5, overlapping: [7] }],
  ['two counts of one place', (facts) => facts.push(count([[6, 1]], 1)), { counted: 5, overlapping: [6] }],
  [
    'a count of another number than its places',
    (facts) =>
      (facts[4] = count(
        [
          [4, 3],
          [2, 1],
        ],
        5,
      )),
    { counted: 5, miscounted: 1 },
  ],
])('E12 finds %s', (_, plant, found) => {
  const facts = sound();
  plant(facts);
  expect(lifeOn(facts)).toMatchObject({ ...clean, ...found });
});
