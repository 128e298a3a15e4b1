import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { StoredRecord, startOfPartition, type RecordBatch } from '@doorledger/event-log';
import { Holders } from './holders.js';
import { LiveHosts } from './live-hosts.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const [s1, s2] = ['1'.repeat(32), '2'.repeat(32)] as const;
const hostA = { hostId: 'a', bootId: uuid(1) };
const hostB = { hostId: 'b', bootId: uuid(2) };

const recordOf = (topic: string, fact: Fact, offset: number, timestamp = 0, epoch = 0) => {
  const { value, headers } = encode(eventOf(fact, { source: '/doorledger/test/host', now: () => 7 }));
  return new StoredRecord(topic, 0, offset, timestamp, epoch, 'key', value, headers);
};
const batch = (...facts: readonly Fact[]): RecordBatch => {
  const { name } = topics.toolSession;
  return { topic: name, partition: 0, records: facts.map((fact, offset) => recordOf(name, fact, offset)) };
};

const opened = (n: number, host: typeof hostA, sessionRef?: string) => ({
  toolSessionId: uuid(100 + n),
  server: 'files',
  tool: 'write',
  scope: 'session' as const,
  keyHash: 'f'.repeat(12),
  ...host,
  ...(sessionRef !== undefined && { sessionRef }),
  turnId: uuid(3),
  runId: uuid(4),
  callId: uuid(5),
});
const started = (...of: Parameters<typeof opened>): Fact => ({ type: 'tool-session.started', data: opened(...of) });
const reused = (...of: Parameters<typeof opened>): Fact => ({ type: 'tool-session.reused', data: { ...opened(...of), calls: 2 } });
const over = { calls: 1, reason: 'session-end' as const, cleanupMs: 0, ageMs: 1 };

describe('L6 knows from the log which host holds live tool sessions of a session', () => {
  it('L6 from the first fact of one to its close, however that went', () => {
    const holders = new Holders([]);
    holders.apply(batch(started(1, hostA, s1), started(2, hostA, s1), started(3, hostB, s2), started(4, hostB)));
    expect([holders.of(s1), holders.of(s2)]).toEqual([[hostA, hostA], [hostB]]);
    holders.apply(batch({ type: 'tool-session.closed', data: { ...opened(1, hostA, s1), ...over } }));
    expect(holders.of(s1)).toEqual([hostA]);
    holders.apply(batch({ type: 'tool-session.close-failed', data: { ...opened(2, hostA, s1), ...over, errorClass: 'Error' } }));
    expect([holders.of(s1), holders.of(s2)]).toEqual([[], [hostB]]);
  });

  it('L6 names the one first that was used last', () => {
    const holders = new Holders([{ ...hostB, toolSessionId: uuid(102), sessionRef: s1 }]);
    holders.apply(batch(started(1, hostA, s1)));
    expect(holders.of(s1)).toEqual([hostA, hostB]);
    holders.apply(batch(reused(2, hostB, s1)));
    expect(holders.of(s1)).toEqual([hostB, hostA]);
  });

  it('L9 comes to the same when the tail meets once more what the ledger had told', () => {
    const holders = new Holders([{ ...hostA, toolSessionId: uuid(101), sessionRef: s1 }]);
    holders.apply(batch(started(1, hostA, s1), { type: 'tool-session.closed', data: { ...opened(1, hostA, s1), ...over } }));
    expect(holders.of(s1)).toEqual([]);
  });
});

describe('L6 knows which hosts are there by the system partition’s own time', () => {
  let offset = 0;
  const said = (
    type: 'host.started' | 'host.alive' | 'host.stopped',
    { hostId, bootId }: typeof hostA,
    at: number,
    epoch = 0,
  ): RecordBatch => {
    const { name } = topics.system;
    const data = { hostId, bootId, version: '1', foldVersion: 1, lastSeq: 0, durableSeq: 0 };
    return { topic: name, partition: 0, records: [recordOf(name, { type, data }, offset++, at, epoch)] };
  };

  it('L6 until 30 s of T after its last word, and not by anybody’s clock', () => {
    const hosts = new LiveHosts([], startOfPartition);
    hosts.apply(said('host.started', hostA, 1000));
    hosts.apply(said('host.alive', hostB, 31_000));
    expect([hosts.isAlive(hostA), hosts.isAlive(hostB)]).toEqual([true, true]);
    hosts.apply(said('host.alive', hostB, 31_001));
    expect([hosts.isAlive(hostA), hosts.isAlive(hostB)]).toEqual([false, true]);
    // Another leader's clock is another clock.
    hosts.apply(said('host.alive', hostA, 10_000_000, 1));
    expect([hosts.isAlive(hostA), hosts.isAlive(hostB)]).toEqual([true, true]);
  });

  it('L6 until it says goodbye, or its next life begins', () => {
    const hosts = new LiveHosts([{ ...hostA, aliveTime: 0 }], startOfPartition);
    expect(hosts.isAlive(hostA)).toBe(true);
    const next = { ...hostA, bootId: uuid(9) };
    hosts.apply(said('host.started', next, 1000));
    expect([hosts.isAlive(hostA), hosts.isAlive(next)]).toEqual([false, true]);
    hosts.apply(said('host.stopped', hostA, 1000));
    expect(hosts.isAlive(next)).toBe(true);
    hosts.apply(said('host.stopped', next, 1000));
    expect(hosts.isAlive(next)).toBe(false);
  });
});
