import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord } from '@doorledger/event-log';
import fc from 'fast-check';
import { HistoryCheck } from './history.js';
import { SecondFold } from './second-fold.js';
import { foldsDiffer } from './two-readings.js';

const id = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const origin = { source: '/doorledger/test/h', now: () => 0 };
const ref = { partition: 0, offset: 0, hash: '0'.repeat(64) };

/** What somebody does next to one of two sessions: which run, what, after which run, how many seconds later, in a new leader epoch or not. */
const step = fc.record({
  session: fc.nat(1),
  run: fc.nat(4),
  kind: fc.constantFrom('turn.claimed', 'turn.renewed', 'turn.stepped', 'turn.completed', 'turn.failed', 'turn.lapsed'),
  after: fc.oneof(fc.constant(null), fc.nat(4), fc.constant('last' as const)),
  wait: fc.boolean(),
  seconds: fc.constantFrom(0, 1, 12, 31),
  isNewEpoch: fc.constantFrom(false, false, false, true),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function factOf({ session, run, kind, after, wait }: Step, last: string | null): Fact {
  const [turnId, runId] = [id(100 + session * 10 + run), id(session * 10 + run)];
  switch (kind) {
    case 'turn.claimed': {
      const named = after === 'last' ? last : after === null ? null : id(session * 10 + after);
      return { type: kind, data: { turnId, runId, hostId: 'h', bootId: id(999), after: named, ...(wait && { wait }) } };
    }
    case 'turn.stepped':
      return { type: kind, data: { turnId, runId, step: 1, private: ref } };
    case 'turn.completed':
      return { type: kind, data: { turnId, runId, steps: 1, toolCalls: 0, private: ref, liveToolSessions: 0 } };
    case 'turn.failed':
      return { type: kind, data: { turnId, runId, errorName: 'Error', liveToolSessions: 0 } };
    case 'turn.lapsed':
      return { type: kind, data: { turnId, runId, by: 'h' } };
    default:
      return { type: 'turn.renewed', data: { turnId, runId } };
  }
}

/** Both folds over the same history; `spoil` gives the second one another. */
function bothOver(steps: readonly Step[], spoil: (records: StoredRecord[]) => StoredRecord[] = (records) => records) {
  const check = new HistoryCheck();
  const second = new SecondFold();
  const claimed = new Map<number, string>();
  let [timestamp, epoch] = [1000, 0];
  const records = steps.map((one, offset) => {
    timestamp += one.seconds * 1000;
    if (one.isNewEpoch) epoch++;
    const fact = factOf(one, claimed.get(one.session) ?? null);
    if (fact.type === 'turn.claimed') claimed.set(one.session, (fact.data as { runId: string }).runId);
    const { value, headers } = encode(eventOf(fact, origin));
    return new StoredRecord(topics.session.name, 0, offset, timestamp, epoch, `session-${one.session}`, value, headers);
  });
  for (const record of records) check.see(record);
  for (const { topic, partition, offset, timestamp, epoch, key, value, headers } of spoil(records))
    second.see({ topic, partition, offset, timestamp, epoch, key, value: Buffer.from(value!).toString('utf8'), headers });
  return { ours: check.turns, second: second.turns };
}

it('L1, L5 and L7 who stands is the same by a second fold, written from the rules alone', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { ours, second } = bothOver(steps);
      expect(foldsDiffer(ours, second)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

const one = (kind: Step['kind'], run: number, more: Partial<Step> = {}): Step => ({
  session: 0,
  run,
  kind,
  after: null,
  wait: false,
  seconds: 0,
  isNewEpoch: false,
  ...more,
});

it('the second fold differs where a record is dropped, and where the time between two records is another', () => {
  const served = [one('turn.claimed', 0), one('turn.completed', 0)];
  expect(foldsDiffer(...pair(bothOver(served)))).toEqual([]);
  expect(foldsDiffer(...pair(bothOver(served, (records) => records.slice(0, 1))))).toHaveLength(1);
  const lapsed = [one('turn.claimed', 0), one('turn.claimed', 1, { seconds: 31, after: 0 })];
  expect(bothOver(lapsed).second).toEqual(
    new Map([
      [id(100), 'abandoned'],
      [id(101), 'running'],
    ]),
  );
  const early = ({ topic, partition, offset, epoch, key, value, headers }: StoredRecord) =>
    new StoredRecord(topic, partition, offset, 1000, epoch, key, value, headers);
  expect(foldsDiffer(...pair(bothOver(lapsed, (records) => records.map(early))))).toHaveLength(2);
});

const pair = ({ ours, second }: ReturnType<typeof bothOver>) => [ours, second] as const;
