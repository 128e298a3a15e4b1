import { topics } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { ToldLog, changed, ref, uuid } from '../testing/told-log.js';
import { Scratch } from './sqlite-scratch.js';
import { verifyLog } from './verify-log.js';

const session = topics.session.name;
const ingress = topics.ingress.name;
const KEY = ref('session');

let log: ToldLog;
let scratch: Scratch;
/** A session of nine records, of which checkpoints were signed at three, six and nine. */
beforeEach(() => {
  log = new ToldLog();
  scratch = new Scratch();
  for (let n = 1; n <= 9; n++) {
    renew(n);
    if (n % 3 === 0) sign();
  }
});
afterEach(() => scratch.close());

const renew = (n: number) => log.add(KEY, { type: 'turn.renewed', data: { turnId: uuid('turn'), runId: uuid(`run ${n}`) } });
const sign = (from?: number) => log.headsFrom(from).forEach((head) => scratch.addHead(head));
const verify = () => verifyLog({ log: log as unknown as EventLog, scratch });
const records = () => [...log.partitions.values()][0]!;
const place = () => ({ topic: session, partition: records()[0]!.partition });

it('V1 and V2 agree with every checkpoint of a log as it was written, and say how far they go', async () => {
  renew(10);
  expect(await verify()).toEqual({ records: 10, covered: 9 });
});

it.each<[string, () => void, { offset: number; to: number }]>([
  ['changed', () => (records()[4] = changed(records()[4]!, { value: Buffer.from('{}') })), { offset: 3, to: 6 }],
  ['given another time', () => (records()[0] = changed(records()[0]!, { timestamp: 5 })), { offset: 0, to: 3 }],
  ['given another header', () => (records()[8] = changed(records()[8]!, { headers: { ce_type: 'turn.failed' } })), { offset: 6, to: 9 }],
  ['removed', () => records().splice(4, 1), { offset: 3, to: 6 }],
  [
    'removed, and the rest moved up',
    () =>
      void records()
        .splice(4, 1)
        .push(...renumber()),
    { offset: 3, to: 6 },
  ],
  ['added', () => void (records().splice(4, 0, records()[3]!), renumber()), { offset: 3, to: 6 }],
  ['swapped', () => void (records().splice(4, 2, records()[5]!, records()[4]!), renumber()), { offset: 3, to: 6 }],
  ['cut off at the end', () => records().splice(7), { offset: 7, to: 9 }],
  ['made anew from nothing', () => records().splice(0), { offset: 0, to: 3 }],
])('V2 finds records that were %s between two checkpoints', async (_what, tamper, range) => {
  const where = place();
  tamper();
  const { violation } = await verify();
  expect(violation).toMatchObject({ statement: 'chains', positions: [{ ...where, ...range }] });
});

function renumber() {
  records().forEach((record, offset) => (records()[offset] = changed(record, { offset })));
  return [];
}

it('V2 finds a changed record though a later checkpoint was signed for what it was changed to', async () => {
  records()[1] = changed(records()[1]!, { timestamp: 7 });
  renew(10);
  sign();
  expect((await verify()).violation).toMatchObject({ statement: 'chains', positions: [{ ...place(), offset: 0, to: 3 }] });
});

describe('a topic that retention cuts', () => {
  const recorded = (seq: number) =>
    log.add(KEY, {
      type: 'ingress.recorded',
      data: { at: 1, door: 'turn', outcome: 'served', bearerPresent: false, durationMs: 1, hostId: 'h', bootId: uuid('b'), seq },
    });
  const applied = (before: number, partition = cutPartition()) =>
    log.add('retention', { type: 'retention.applied', data: { topic: ingress, partition, before, by: ref('operator') } });
  const cutPartition = () => log.of(ingress, 0).concat(log.of(ingress, 1), log.of(ingress, 2), log.of(ingress, 3))[0]!.partition;
  let partition: number;
  beforeEach(() => {
    for (let seq = 1; seq <= 9; seq++) {
      recorded(seq);
      if (seq % 3 === 0) sign();
    }
    partition = cutPartition();
  });

  it('X3 and V2 accept exactly what a retention.applied fact says is gone, and go on from the next checkpoint', async () => {
    applied(4, partition);
    log.cut(ingress, partition, 4);
    expect(await verify()).toMatchObject({ records: 15, covered: 9 + 3 });
    log.cut(ingress, partition, 5);
    expect(await verify()).toMatchObject({
      violation: { statement: 'chains', positions: [{ topic: ingress, partition, offset: 0, to: 5 }] },
    });
  });

  it('V2 finds a changed record behind a cut, and one cut off', async () => {
    applied(4, partition);
    log.cut(ingress, partition, 4);
    const of = log.of(ingress, partition);
    const whole = [...of];
    of[3] = changed(of[3]!, { timestamp: 1 });
    expect((await verify()).violation).toMatchObject({ statement: 'chains', positions: [{ topic: ingress, offset: 6, to: 9 }] });
    of.splice(0, of.length, ...whole.slice(0, 3));
    expect((await verify()).violation).toMatchObject({ statement: 'chains', positions: [{ topic: ingress, offset: 7, to: 9 }] });
  });

  it('V1 and V2 follow the chain that a replay begins behind a cut beside the one that was there before', async () => {
    applied(4, partition);
    log.cut(ingress, partition, 4);
    sign(4);
    recorded(10);
    sign(4);
    expect((await verify()).violation).toBeUndefined();
    log.of(ingress, partition)[0] = changed(log.of(ingress, partition)[0]!, { timestamp: 1 });
    expect((await verify()).violation).toMatchObject({ statement: 'chains', positions: [{ topic: ingress, offset: 4, to: 9 }] });
  });

  it('V2 accepts no cut of a topic that is never cut, whatever a fact says', async () => {
    log.add('retention', {
      type: 'retention.applied',
      data: { topic: session, partition: place().partition, before: 3, by: ref('operator') },
    });
    log.cut(session, records()[0]!.partition, 3);
    expect((await verify()).violation).toMatchObject({ statement: 'chains', positions: [{ topic: session, offset: 0, to: 3 }] });
  });
});
