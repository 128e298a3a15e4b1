import { randomUUID } from 'node:crypto';
import { topics } from '@doorledger/contracts';
import { NotMetError } from '../append-and-meet.js';
import { AppendIndefiniteError, AppendRefusedError } from '../errors.js';
import type { Position, RecordBatch } from '../event-log.js';
import { LogTail } from '../log-tail.js';
import { partitionOf } from '../partition.js';
import type { StoredRecord } from '../stored-record.js';
import { MemoryLog } from '../testing/memory-log.js';
import { DecisionLedger } from './decision-ledger.js';
import { decisionKey, firstSpend, readDecisionSpend, type DecisionSpend } from './decision-record.js';
import { DecisionView } from './decision-view.js';

const topic = topics.spend.name;
const PARTITIONS = 2;
const origin = { source: '/doorledger/test/host', now: () => 1 };
const [mine, other] = [randomUUID(), randomUUID()];
const one = { namespace: 'shop', id: '7' };
const partition = partitionOf(decisionKey(one.namespace, one.id), PARTITIONS);

/** What a projector has folded: everything before `next`. */
class Rows {
  readonly next = [0, 0];
  readonly #spends = new Map<string, DecisionSpend>();

  project({ partition: of, records }: RecordBatch): void {
    for (const record of records) {
      const first = firstSpend(this.#spends.get(record.key), readDecisionSpend(record));
      if (first) this.#spends.set(record.key, first);
      this.next[of] = record.offset + 1;
    }
  }

  row(key: string) {
    const spend = this.#spends.get(key);
    return { next: this.next[partitionOf(key, PARTITIONS)]!, ...(spend && { spend }) };
  }
}

let log: MemoryLog;
let tails: LogTail[];
beforeEach(() => ([log, tails] = [new MemoryLog({ [topic]: PARTITIONS }), []]));
afterEach(async () => {
  for (const tail of tails) await tail.close();
});

/** One host's ledger. `held`: what the tail meets is not handed on before `release`. */
function host({ append = log.append.bind(log), rows = new Rows(), timeoutMs = 2000, from = [0, 0] } = {}) {
  const view = new DecisionView({ row: async (key) => rows.row(key), from });
  const tail = new LogTail({ log, from: { [topic]: from }, deliver: (batch) => view.apply(batch), watchMs: 60_000 });
  tail.start();
  tails.push(tail);
  const reach = (position: Position, ms: number) => tail.reach(position, ms);
  const ledger = new DecisionLedger({ log: { append }, ends: (name) => log.ends(name), view, origin, reach, timeoutMs });
  return { ledger, view, rows };
}
const all = async (): Promise<StoredRecord[]> => {
  const records: StoredRecord[] = [];
  for await (const batch of log.read(topic, [0, 0])) records.push(...batch.records);
  return records;
};

it('N40 spends an id once, and answers a repeat of a claim as it was answered first', async () => {
  const { ledger } = host();
  expect(await ledger.spend(one, mine)).toBe(true);
  expect(await ledger.spend(one, other)).toBe(false);
  expect([await ledger.spend(one, mine), await ledger.spend(one, other)]).toEqual([true, false]);
  expect((await all()).length).toBe(1);
});

it('N40 lets one of many claims on many hosts stand, the one the log has first, and tells all hosts alike', async () => {
  const hosts = [host(), host(), host()];
  const claims = Array.from({ length: 30 }, () => randomUUID());
  const answers = await Promise.all(claims.map((claim, i) => hosts[i % 3]!.ledger.spend(one, claim)));
  const [first] = await all();
  expect(claims.filter((_, i) => answers[i])).toEqual([first!.decoded.body!.data.claimId]);
  for (const { ledger } of hosts) expect(await Promise.all(claims.map((claim) => ledger.spend(one, claim)))).toEqual(answers);
});

it('N40 keeps ids and namespaces apart', async () => {
  const { ledger } = host();
  const others = [
    { ...one, id: 'closed-proven:7' },
    { ...one, id: ' 7' },
    { ...one, namespace: 'shop.eu' },
  ];
  for (const id of [one, ...others])
    expect([await ledger.isSpent(id), await ledger.spend(id, mine), await ledger.isSpent(id)]).toEqual([false, true, true]);
});

it('L7 and N40 answer by what the own tail has met, not by the acknowledgement', async () => {
  log.stalled = true;
  const { ledger } = host({ timeoutMs: 30 });
  await expect(ledger.spend(one, mine)).rejects.toThrow(NotMetError);
  expect((await all()).length).toBe(1);
});

it('N40 says of an id that it is not spent only when it has read to the log’s end as of the question', async () => {
  const { ledger } = host({ timeoutMs: 30 });
  expect(await ledger.isSpent(one)).toBe(false);
  log.stalled = true;
  await log.append(topic, [{ key: decisionKey('shop', '7'), value: Buffer.from('{}'), headers: { ce_type: 'decision.spent' } }]);
  await expect(ledger.isSpent(one)).rejects.toThrow(NotMetError);
});

it('N40 asks for the log’s end after each question, and once for all that come while the log answers', async () => {
  let asked = 0;
  let answer: () => void = () => {};
  const { view } = host();
  const ends = async (name: string) => {
    asked++;
    await new Promise<void>((resolve) => (answer = resolve));
    return log.ends(name);
  };
  const ledger = new DecisionLedger({ log, ends, view, origin, reach: async () => true });
  const questions = [ledger.isSpent(one), ledger.isSpent(one), ledger.isSpent(one)];
  expect(asked).toBe(1);
  answer();
  await questions[0];
  expect(asked).toBe(2);
  answer();
  await Promise.all(questions);
  expect(asked).toBe(2);
});

it('L7 and N40 append an unknown spend again under its event id, and count its copies as one', async () => {
  let losses = 2;
  const append: typeof log.append = async (name, records) => {
    const positions = await log.append(name, records);
    if (losses-- > 0) throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'lost');
    return positions;
  };
  log.stalled = true;
  const { ledger, view } = host({ append });
  log.stalled = false;
  const spending = ledger.spend(one, mine);
  for await (const batch of log.read(topic, [0, 0])) view.apply(batch);
  while (losses >= 0) await new Promise(setImmediate);
  for await (const batch of log.read(topic, [0, 0])) view.apply(batch);
  expect(await spending).toBe(true);
  expect(new Set((await all()).map(({ decoded }) => decoded.id)).size).toBe(1);
});

it('N30 and N40 tell a spend that was never appended from one that nobody knows of', async () => {
  const refused = host({ append: async () => Promise.reject(new AppendRefusedError('ERR_LOG_CLOSED', 'closed')) });
  await expect(refused.ledger.spend(one, mine)).rejects.toThrow(AppendRefusedError);
  const lost = host({ append: async () => Promise.reject(new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'lost')), timeoutMs: 30 });
  await expect(lost.ledger.spend(one, mine)).rejects.toThrow(NotMetError);
});

it('N30 and N40 know that a lost claim did not spend what stands for another', async () => {
  const { ledger } = host({
    append: async (name, records) => {
      await log.append(
        name,
        records.map((record) => ({
          ...record,
          value: Buffer.from(`{"data":{"claimId":"${other}"}}`),
          headers: { ...record.headers, ce_id: 'x' },
        })),
      );
      throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'lost');
    },
    timeoutMs: 60,
  });
  expect(await ledger.spend(one, mine)).toBe(false);
});

it('L9 and N40 come to the same from the ledger and the tail, wherever the ledger is', async () => {
  const { ledger } = host();
  for (const id of ['1', '2', '3', '1', '2']) await ledger.spend({ ...one, id }, mine);
  await log.append(topic, [
    { key: decisionKey('shop', '1'), value: Buffer.from(`{"data":{"claimId":"${other}"}}`), headers: { ce_type: 'decision.spent' } },
  ]);
  const records = await all();
  const of = records.filter((record) => record.partition === partition);
  for (let projected = 0; projected <= of.length; projected++) {
    for (let begun = 0; begun <= projected; begun++) {
      const rows = new Rows();
      const view = new DecisionView({ row: async (key) => rows.row(key), from: [begun, begun] });
      if (projected > 0) rows.project({ topic, partition, records: of.slice(0, projected) });
      if (begun < of.length) view.apply({ topic, partition, records: of.slice(begun) });
      if (projected > 0) view.projected(partition, projected);
      for (const { key } of of) expect((await view.standing(key))?.claimId).toBe(mine);
      expect(view.size).toBeLessThanOrEqual(of.length - projected);
    }
  }
});

it('L9 keeps no more than the ledger has not, and says when that is too much', async () => {
  const rows = new Rows();
  const view = new DecisionView({ row: async (key) => rows.row(key), from: [0, 0], maxRecent: 1 });
  const { ledger } = host();
  for (const id of ['1', '2', '3', '4', '5']) await ledger.spend({ ...one, id }, mine);
  for await (const batch of log.read(topic, [0, 0])) view.apply(batch);
  expect([view.size, view.isBehind]).toEqual([5, true]);
  for await (const batch of log.read(topic, [0, 0])) {
    rows.project(batch);
    view.projected(batch.partition, batch.records.length);
  }
  expect([view.size, view.isBehind]).toEqual([0, false]);
  expect((await view.standing(decisionKey('shop', '3')))?.claimId).toBe(mine);
});

it('L9 and N40 give no answer while the ledger gives less than this host has let go', async () => {
  const view = new DecisionView({ row: async () => ({ next: 0 }), from: [0, 0] });
  view.projected(partition, 3);
  await expect(view.standing(decisionKey('shop', '7'))).rejects.toThrow('less');
});
