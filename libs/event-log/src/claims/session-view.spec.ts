import { randomUUID } from 'node:crypto';
import { topics, type Fact } from '@doorledger/contracts';
import {
  AppendIndefiniteError,
  ClaimUnknownError,
  Claims,
  LogTail,
  SessionView,
  emptySession,
  foldSession,
  readSessionRecord,
  advance,
  startOfPartition,
} from '../index.js';
import type { EventLog, PartitionTime, SessionState, StoredRecord } from '../index.js';
import { MemoryLog } from '../testing/memory-log.js';

const topic = topics.session.name;
const origin = { source: '/doorledger/test/host', now: () => 0 };
const claimed = (after: string | null, runId = randomUUID(), turnId = randomUUID()): Fact<'turn.claimed'> => ({
  type: 'turn.claimed',
  data: { turnId, runId, hostId: 'host', bootId: randomUUID(), after },
});
const completed = ({ data: { turnId, runId } }: Fact<'turn.claimed'>): Fact => ({
  type: 'turn.completed',
  data: { turnId, runId, steps: 1, toolCalls: 0, liveToolSessions: 0, private: { partition: 0, offset: 0, hash: '0'.repeat(64) } },
});

/** A ledger of one partition that the test moves by hand: rows are what the log says up to `place`. */
class HandLedger {
  place = 0;
  reads = 0;
  afterRead?: () => void;
  constructor(readonly log: MemoryLog) {}

  async row(key: string): Promise<{ state: SessionState; next: number }> {
    this.reads++;
    const next = this.place;
    let state = emptySession;
    let time: PartitionTime = startOfPartition;
    for await (const { records } of this.log.read(topic, [0]))
      for (const record of records.slice(0, next)) {
        time = advance(time, record);
        if (record.key === key) state = foldSession(state, readSessionRecord(record), time).state;
      }
    this.afterRead?.();
    return { state, next };
  }
}

function open(from: PartitionTime = startOfPartition, timeoutMs = 2000) {
  const log = new MemoryLog({ [topic]: 1 });
  const ledger = new HandLedger(log);
  const view = new SessionView({ from: [from], row: (key) => ledger.row(key), maxRecent: 10 });
  const tail = new LogTail({ log, from: { [topic]: [from.next] }, deliver: (batch) => view.apply(batch) });
  tail.start();
  return { log, ledger, view, tail, claims: new Claims({ log, view, origin, timeoutMs }) };
}

const typesOn = async (log: MemoryLog): Promise<string[]> => {
  const types: string[] = [];
  for await (const { records } of log.read(topic, [0])) types.push(...records.map((r: StoredRecord) => r.decoded.type!));
  return types;
};

it('L7 tells what the fold made of a claim when the own tail meets it by its event id', async () => {
  const { view, claims, tail } = open();
  const held = await view.hold('s');
  const first = claimed(null);
  const second = claimed(null);
  const [a, b] = await Promise.all([claims.append('s', [first]), claims.append('s', [second])]);
  expect(a[0]!.verdict).toEqual({ stands: true });
  expect(b[0]!.verdict).toMatchObject({ stands: false });
  expect(held.state.run?.runId).toBe(first.data.runId);
  held.release();
  await tail.close();
});

it('L7 repeats an append of unknown outcome under the same event id, and the copy changes nothing', async () => {
  const { log, view, claims, tail } = open();
  await view.hold('s');
  let tries = 0;
  const append = log.append.bind(log);
  log.append = async (name, records) => {
    const positions = await append(name, records);
    if (tries++ === 0) throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'no answer');
    return positions;
  };
  const claim = claimed(null);
  const [met] = await claims.append('s', [claim]);
  expect(met!.verdict.stands).toBe(true);
  await claims.append('s', [completed(claim)]);
  expect((await view.hold('s')).state.run).toBeUndefined();
  await tail.close();
});

it('L7 undoes a standing copy of a claim that was given up', async () => {
  const { log, view, claims, tail } = open();
  await view.hold('s');
  const winner = claimed(null);
  const loser = claimed(null);
  const undo: Fact = {
    type: 'turn.failed',
    data: { turnId: loser.data.turnId, runId: loser.data.runId, errorName: 'GivenUp', liveToolSessions: 0 },
  };
  await claims.append('s', [winner]);
  const [met] = await claims.append('s', [loser], () => undo);
  expect(met!.verdict.stands).toBe(false);
  const copy = met!.record;
  await log.append(topic, [{ key: 's', value: copy.value!, headers: copy.headers }]);
  await tail.catchUp(1000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await typesOn(log)).toEqual(['turn.claimed', 'turn.claimed', 'turn.claimed', 'turn.failed']);
  await tail.close();
});

it('L7 gives up a claim that the tail does not meet in time, and undoes it when it turns up', async () => {
  const { log, view, claims, tail } = open(startOfPartition, 20);
  await view.hold('s');
  const claim = claimed(null);
  const { turnId, runId } = claim.data;
  const undo: Fact = { type: 'turn.failed', data: { turnId, runId, errorName: 'GivenUp', liveToolSessions: 0 } };
  let land!: () => void;
  log.beforeAppend = () => new Promise<void>((resolve) => (land = resolve));
  await expect(claims.append('s', [claim], () => undo)).rejects.toThrow('did not meet');
  log.beforeAppend = undefined;
  land();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await tail.catchUp(1000);
  expect(await typesOn(log)).toEqual(['turn.claimed', 'turn.failed']);
  expect((await view.hold('s')).state.run).toBeUndefined();
  await tail.close();
});

describe('L9 makes a session’s state of the ledger row and the own tail past it', () => {
  const runs = 6;
  it.each(Array.from({ length: runs + 1 }, (_, place) => place))('with the ledger at offset %i', async (place) => {
    const { log, ledger, view, claims, tail } = open();
    const held = await view.hold('s');
    for (let i = 0; i < runs / 2; i++) {
      const claim = claimed(held.state.lastRunId);
      await claims.append('s', [claim]);
      await claims.append('s', [completed(claim)]);
    }
    const expected = held.state;
    held.release();
    ledger.place = place;
    view.projected(0, place);
    expect(view.size).toEqual({ live: 0, recent: runs - place });
    expect((await view.hold('s')).state).toEqual(expected);
    expect((await log.ends(topic))[0]!.end).toBe(runs);
    await tail.close();
  });

  it('also when the ledger is ahead of the tail', async () => {
    const { log, ledger } = open();
    const claim = claimed(null);
    const view = new SessionView({ from: [startOfPartition], row: (key) => ledger.row(key) });
    const writer = open();
    await writer.view.hold('s');
    await writer.claims.append('s', [claim]);
    await writer.claims.append('s', [completed(claim)]);
    for await (const { records } of writer.log.read(topic, [0]))
      await log.append(
        topic,
        records.map(({ key, value, headers }) => ({ key, value: value!, headers })),
      );
    ledger.place = 2;
    const held = await view.hold('s');
    const ahead = held.state;
    for await (const batch of log.read(topic, [0])) view.apply(batch);
    expect(held.state).toEqual(ahead);
    expect(view.size.recent).toBe(0);
  });

  it('and reads the row again when records between the two were let go meanwhile', async () => {
    const { ledger, view, claims, tail } = open();
    const held = await view.hold('s');
    const claim = claimed(null);
    await claims.append('s', [claim]);
    await claims.append('s', [completed(claim)]);
    const expected = held.state;
    held.release();
    ledger.afterRead = () => {
      ledger.afterRead = undefined;
      ledger.place = 2;
      view.projected(0, 2);
    };
    expect((await view.hold('s')).state).toEqual(expected);
    expect(ledger.reads).toBe(3);
    await tail.close();
  });
});

it('L9 keeps no session that nobody holds, and says when the ledger is too far behind', async () => {
  const { view, claims, tail } = open();
  for (let i = 0; i < 11; i++) {
    const key = `s${i}`;
    const held = await view.hold(key, true);
    await claims.append(key, [claimed(null)]);
    held.release();
  }
  expect(view.size).toEqual({ live: 0, recent: 11 });
  expect(view.isBehind).toBe(true);
  view.projected(0, 11);
  expect(view.size.recent).toBe(0);
  expect(view.isBehind).toBe(false);
  await tail.close();
});

describe('facts that name content', () => {
  const content = { key: 's', value: Buffer.from('sealed'), headers: {} };
  const stepped = (run: Fact<'turn.claimed'>, offset: number): Fact => ({
    type: 'turn.stepped',
    data: { turnId: run.data.turnId, runId: run.data.runId, step: 1, private: { partition: 0, offset, hash: '0'.repeat(64) } },
  });

  /** A log that takes both at once, and answers as the test says. */
  function naming(answer: () => void = () => {}) {
    const parts = open();
    const tries: number[] = [];
    const appendNaming: EventLog['appendNaming'] = async (_topic, _records, { topic: other, records }) => {
      tries.push(tries.length);
      const places = await parts.log.append(other, records([{ topic: topics.private.name, partition: 0, offset: 41 }]));
      answer();
      return places;
    };
    const log = { append: parts.log.append.bind(parts.log), appendNaming };
    return { ...parts, tries, claims: new Claims({ log, view: parts.view, origin, timeoutMs: 300 }) };
  }

  it('L10 and L7 are met by the own tail with the place that the content got', async () => {
    const { claims, view, tail } = naming();
    const held = await view.hold('s');
    const run = claimed(null);
    await claims.append('s', [run]);
    const [met] = await claims.appendNaming('s', content, ({ offset }) => [stepped(run, offset)]);
    expect(met!.verdict).toEqual({ stands: true });
    expect(met!.record.decoded.body!.data).toMatchObject({ private: { offset: 41 } });
    held.release();
    await tail.close();
  });

  it('L7 and K4 are tried once where the log does not confirm them, and stand if the own tail meets them all the same', async () => {
    const { claims, view, tail, tries } = naming(() => {
      throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'no answer');
    });
    const held = await view.hold('s');
    const run = claimed(null);
    await claims.append('s', [run]);
    const [met] = await claims.appendNaming('s', content, ({ offset }) => [stepped(run, offset)]);
    expect(met!.verdict).toEqual({ stands: true });
    expect(tries).toEqual([0]);
    held.release();
    await tail.close();
  });

  it('L7 are unknown where they are neither confirmed nor met', async () => {
    const { claims, view, tail, log } = naming();
    const held = await view.hold('s');
    const run = claimed(null);
    await claims.append('s', [run]);
    log.beforeAppend = () => {
      throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'no answer');
    };
    await expect(claims.appendNaming('s', content, ({ offset }) => [stepped(run, offset)])).rejects.toBeInstanceOf(ClaimUnknownError);
    held.release();
    await tail.close();
  });
});
