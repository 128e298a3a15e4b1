import { createHash, randomUUID } from 'node:crypto';
import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord } from '@doorledger/event-log';
import { checkHistory, type History } from './history.js';

const hostId = 'h';
const bootId = randomUUID();
const origin = { source: '/doorledger/test/h', now: () => 0 };

/** A log of two partitions' records in their order, as a reader would give it. */
class Log {
  readonly records: StoredRecord[] = [];
  readonly #ends = new Map<string, number>();

  add(topic: string, key: string, fact: Fact): StoredRecord {
    const offset = this.#ends.get(topic) ?? 0;
    this.#ends.set(topic, offset + 1);
    const { value, headers } = encode(eventOf(fact, origin));
    const record = new StoredRecord(topic, 0, offset, 1000, 1, key, value, headers);
    this.records.push(record);
    return record;
  }
}

const contentOf = (turnId: string, runId: string): Fact => ({
  type: 'messages.added',
  data: { turnId, runId, messages: 2, keyId: bootId, sealed: 'c2VhbGVk' },
});

/** Three acknowledged turns of one session, as a host writes them. */
function soundHistory(): History & { readonly log: Log } {
  const log = new Log();
  const acknowledged: { turnId: string }[] = [];
  let after: string | null = null;
  for (let seq = 1; seq <= 3; seq++) {
    const [turnId, runId] = [randomUUID(), randomUUID()];
    const content = log.add(topics.private.name, 's', contentOf(turnId, runId));
    const ref = { partition: 0, offset: content.offset, hash: createHash('sha256').update(content.value!).digest('hex') };
    log.add(topics.session.name, 's', { type: 'turn.claimed', data: { turnId, runId, hostId, bootId, after } });
    log.add(topics.session.name, 's', {
      type: 'turn.completed',
      data: { turnId, runId, steps: 1, toolCalls: 0, private: ref, liveToolSessions: 0 },
    });
    log.add(topics.ingress.name, hostId, {
      type: 'ingress.recorded',
      data: { at: 1, door: 'turn', outcome: 'served', bearerPresent: false, turnId, durationMs: 1, hostId, bootId, seq },
    });
    acknowledged.push({ turnId });
    after = runId;
  }
  return {
    log,
    records: log.records,
    acknowledged,
    ledgerTurns: new Map(acknowledged.map(({ turnId }) => [turnId, 'completed'])),
    isRecordedBeforeReply: true,
  };
}

const rulesOf = (history: History) => [...new Set(checkHistory(history).map((v) => v.rule))];

it('the checker finds nothing in a sound history', () => {
  expect(checkHistory(soundHistory())).toEqual([]);
});

describe('K3 the checker finds', () => {
  it('a lost completion', () => {
    const { records, ...history } = soundHistory();
    const lost = records.findLast((r) => r.decoded.type === 'turn.completed')!;
    expect(rulesOf({ ...history, records: records.filter((r) => r !== lost) })).toContain('K3');
  });

  it('an acknowledged turn that was never on the log', () => {
    const history = soundHistory();
    expect(rulesOf({ ...history, acknowledged: [...history.acknowledged, { turnId: randomUUID() }] })).toContain('K3');
  });

  it('an acknowledged turn that the ledger does not have, or has as failed', () => {
    const history = soundHistory();
    const [first, ...rest] = history.ledgerTurns;
    expect(rulesOf({ ...history, ledgerTurns: new Map(rest) })).toEqual(['K3']);
    expect(rulesOf({ ...history, ledgerTurns: new Map([[first![0], 'failed'], ...rest]) })).toEqual(['K3']);
  });

  it('a second run that was let in while one stood', () => {
    const { log, acknowledged, ...history } = soundHistory();
    const both = [1, 2].map(() => ({ turnId: randomUUID(), runId: randomUUID() }));
    const after = log.records.findLast((r) => r.decoded.type === 'turn.completed')!.decoded.body!.data.runId as string;
    for (const { turnId, runId } of both)
      log.add(topics.session.name, 's', { type: 'turn.claimed', data: { turnId, runId, hostId, bootId, after } });
    for (const { turnId, runId } of both) {
      const content = log.add(topics.private.name, 's', contentOf(turnId, runId));
      const ref = { partition: 0, offset: content.offset, hash: createHash('sha256').update(content.value!).digest('hex') };
      const data = { turnId, runId, steps: 1, toolCalls: 0, private: ref, liveToolSessions: 0 };
      log.add(topics.session.name, 's', { type: 'turn.completed', data });
    }
    const ledgerTurns = new Map([...history.ledgerTurns, ...both.map(({ turnId }) => [turnId, 'completed'] as const)]);
    const all = { ...history, acknowledged: [...acknowledged, ...both], ledgerTurns, isRecordedBeforeReply: false };
    expect(checkHistory(all)).toEqual([{ rule: 'K3', what: expect.stringContaining(both[1]!.turnId) as string }]);
  });

  it('a completion whose run does not stand', () => {
    const history = soundHistory();
    const { log, acknowledged } = history;
    const [turnId, runId] = [randomUUID(), randomUUID()];
    log.add(topics.session.name, 's', { type: 'turn.claimed', data: { turnId, runId, hostId, bootId, after: randomUUID() } });
    log.add(topics.session.name, 's', {
      type: 'turn.completed',
      data: { turnId, runId, steps: 1, toolCalls: 0, private: { partition: 0, offset: 9, hash: '0'.repeat(64) }, liveToolSessions: 0 },
    });
    const ledgerTurns = new Map([...history.ledgerTurns, [turnId, 'completed']]);
    expect(rulesOf({ ...history, acknowledged: [...acknowledged, { turnId }], ledgerTurns })).toEqual(['K3', 'E5']);
  });
});

it('K2 the checker finds a hole and a place that was used twice', () => {
  const history = soundHistory();
  const { records } = history;
  expect(rulesOf({ ...history, records: records.filter((_, i) => i !== 0) })).toContain('K2');
  expect(rulesOf({ ...history, records: [...records, records[0]!] })).toContain('K2');
});

it('E5 the checker finds an answer without its ingress record', () => {
  const history = soundHistory();
  const first = history.records.find((r) => r.decoded.type === 'ingress.recorded');
  expect(rulesOf({ ...history, records: history.records.filter((r) => r !== first) })).toContain('E5');
});

it('L10 the checker finds content that a standing record names and the log does not have, or has otherwise', () => {
  const history = soundHistory();
  const content = history.records.findLast((r) => r.topic === topics.private.name)!;
  expect(rulesOf({ ...history, records: history.records.filter((r) => r !== content) })).toEqual(['L10']);
  const { topic, partition, offset, timestamp, epoch, key, value, headers } = content;
  const changed = Buffer.from(value!);
  changed[changed.length - 3]! ^= 1;
  const other = new StoredRecord(topic, partition, offset, timestamp, epoch, key, changed, headers);
  expect(rulesOf({ ...history, records: history.records.map((r) => (r === content ? other : r)) })).toEqual(['L10']);
});

it('L9 the checker finds a turn that nobody was told of and that the ledger lacks, or has otherwise', () => {
  const history = soundHistory();
  const [unheard] = history.acknowledged;
  const acknowledged = history.acknowledged.slice(1);
  const ledgerTurns = new Map(history.ledgerTurns);
  expect(rulesOf({ ...history, acknowledged })).toEqual([]);
  expect(rulesOf({ ...history, acknowledged, ledgerTurns: new Map(ledgerTurns).set(unheard!.turnId, 'running') })).toEqual(['L9']);
  ledgerTurns.delete(unheard!.turnId);
  expect(rulesOf({ ...history, acknowledged, ledgerTurns })).toEqual(['L9']);
});

it('E11 the checker finds a place that its host calls durable and that is not on the log', () => {
  const history = soundHistory();
  const alive = (durableSeq: number): Fact => ({
    type: 'host.alive',
    data: { hostId, bootId, version: '0', foldVersion: 1, lastSeq: 9, durableSeq },
  });
  history.log.add(topics.system.name, 'host/h', alive(3));
  expect(rulesOf(history)).toEqual([]);
  history.log.add(topics.system.name, 'host/h', alive(7));
  expect(rulesOf(history)).toEqual(['E11']);
  const counted = (seqs: [number, number][]): Fact => ({
    type: 'ingress.counted',
    data: { hostId, bootId, reason: 'not-json', from: 1, to: 2, count: 4, seqs },
  });
  history.log.add(
    topics.ingress.name,
    hostId,
    counted([
      [4, 2],
      [1, 2],
    ]),
  );
  expect(rulesOf(history)).toEqual([]);
  history.log.add(topics.ingress.name, hostId, counted([[7, 1]]));
  expect(rulesOf(history)).toEqual(['E11']);
});

it('E11 the checker finds a place in the count that was given twice, and knows a copy of the same record', () => {
  const history = soundHistory();
  const { log, acknowledged } = history;
  const data = {
    at: 1,
    door: 'turn',
    outcome: 'served',
    bearerPresent: false,
    turnId: acknowledged[0]!.turnId,
    durationMs: 1,
    hostId,
    bootId,
    seq: 1,
  } as const;
  const twin = log.add(topics.ingress.name, hostId, { type: 'ingress.recorded', data });
  expect(rulesOf(history)).toEqual(['E11']);
  const sound = soundHistory();
  const copied = sound.records.find((r) => r.decoded.type === 'ingress.recorded')!;
  const copy = new StoredRecord(twin.topic, 0, 3, 1000, 1, copied.key, copied.value, copied.headers);
  expect(checkHistory({ ...sound, records: [...sound.records, copy] })).toEqual([]);
});
