import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventOf, factByType, partitionCounts, topics, type AnyFactEvent, type Fact, type FactData } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { LedgerGenerations, Projector, ledgerReader, listToolSessions, type LedgerReader, type LedgerStore } from '@doorledger/ledger';
import { LostToolSessions, givenUpHere } from './host-lost.js';

let dir: string;
let log: EventLog;
let store: LedgerStore;
let projector: Projector;
let ledger: LedgerReader;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-host-lost-'));
  log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
  ({ store } = new LedgerGenerations(dir).openLive());
  projector = await Projector.open({ store, topics: log.topics, gatherMs: 0 });
  ledger = ledgerReader(store, log.topics);
});
afterEach(async () => {
  await projector.close();
  await store.close();
  await log.close();
  rmSync(dir, { recursive: true });
});

const origin = { source: '/doorledger/test/h', now: Date.now };
const life = { hostId: 'gone', bootId: randomUUID() };
const opened = (more: Partial<FactData<'tool-session.started'>> = {}): FactData<'tool-session.started'> => ({
  ...life,
  toolSessionId: randomUUID(),
  server: 'mail',
  tool: 'send',
  scope: 'run',
  keyHash: 'abcdef012345',
  turnId: randomUUID(),
  runId: randomUUID(),
  callId: randomUUID(),
  ...more,
});

const append = (key: string, fact: Fact) => log.append(factByType.get(fact.type)!.topic.name, [{ key, ...encode(eventOf(fact, origin)) }]);
const say = (type: 'host.started' | 'host.stopped') =>
  append('h', { type, data: { ...life, version: '1', foldVersion: 1, lastSeq: 0, durableSeq: 0 } });
async function catchUp(): Promise<void> {
  for (const topic of [topics.system.name, topics.toolSession.name])
    for await (const batch of log.read(topic, projector.applied[topic]!)) await projector.take(batch);
}
async function closes(): Promise<AnyFactEvent[]> {
  const found: AnyFactEvent[] = [];
  for await (const { records } of log.read(topics.toolSession.name, [0, 0, 0, 0]))
    for (const { decoded } of records) if (decoded.type === 'tool-session.closed') found.push(decoded.body as unknown as AnyFactEvent);
  return found;
}

it('T40 closes what a lost host left open, once, however often it is looked for before the ledger has read that', async () => {
  const [one, other] = [opened(), opened({ keyHash: '012345abcdef', sessionRef: 'ab'.repeat(16), label: 'mailbox', scope: 'session' })];
  await say('host.started');
  for (const data of [one, other]) await append(data.keyHash, { type: 'tool-session.started', data });
  const lost = new LostToolSessions({ ledger, log, origin });
  await catchUp();
  expect(await lost.sweep()).toBe(0);
  await say('host.stopped');
  await catchUp();
  expect([await lost.sweep(), await lost.sweep()]).toEqual([2, 0]);
  const facts = await closes();
  expect(facts.map(({ data }) => data)).toEqual(
    expect.arrayContaining(
      [one, other].map((data) => ({ ...data, calls: 1, reason: 'host-lost', cleanupMs: 0, ageMs: expect.any(Number) as number })),
    ),
  );
  expect(facts).toHaveLength(2);
  await catchUp();
  expect(await lost.sweep()).toBe(0);
  expect((await listToolSessions(store.db, {}, { reason: 'host-lost' }, 0)).items).toHaveLength(2);
});

it('T40 is harmless when two hosts say it, and when the lost host had closed it in the same moment: the first close stands', async () => {
  const [twice, closed] = [opened(), opened()];
  await say('host.started');
  for (const data of [twice, closed]) await append(data.keyHash, { type: 'tool-session.started', data });
  await say('host.stopped');
  await catchUp();
  await append(closed.keyHash, { type: 'tool-session.closed', data: { ...closed, calls: 1, reason: 'shutdown', cleanupMs: 3, ageMs: 7 } });
  const hosts = [new LostToolSessions({ ledger, log, origin }), new LostToolSessions({ ledger, log, origin })];
  expect(await Promise.all(hosts.map((host) => host.sweep()))).toEqual([2, 2]);
  await catchUp();
  const { items } = await listToolSessions(store.db, {}, {}, 0);
  expect(new Map(items.map(({ toolSessionId, reason, cleanupMs }) => [toolSessionId, [reason, cleanupMs]]))).toEqual(
    new Map([
      [twice.toolSessionId, ['host-lost', 0]],
      [closed.toolSessionId, ['shutdown', 3]],
    ]),
  );
});

it('T40 says it again when the log did not take it', async () => {
  const data = opened();
  await say('host.started');
  await append(data.keyHash, { type: 'tool-session.started', data });
  await say('host.stopped');
  await catchUp();
  let isDown = true;
  const flaky: Pick<EventLog, 'append'> = { append: (...args) => (isDown ? Promise.reject(new Error('down')) : log.append(...args)) };
  const lost = new LostToolSessions({ ledger, log: flaky, origin });
  await expect(lost.sweep()).rejects.toThrow('down');
  isDown = false;
  expect([await lost.sweep(), await closes()]).toEqual([1, [expect.objectContaining({ subject: data.toolSessionId })]]);
});

it('T40 names to a host the tool session of its own life that somebody gave up for lost, and no other', () => {
  const closing = (more: object): AnyFactEvent =>
    eventOf({ type: 'tool-session.closed', data: { ...opened(), calls: 1, reason: 'host-lost', cleanupMs: 0, ageMs: 1, ...more } }, origin);
  const toolSessionId = randomUUID();
  expect(givenUpHere(closing({ toolSessionId }), life)).toBe(toolSessionId);
  for (const other of [{ reason: 'idle' }, { bootId: randomUUID() }, { hostId: 'another' }])
    expect(givenUpHere(closing({ toolSessionId, ...other }), life)).toBeUndefined();
  expect(givenUpHere(eventOf({ type: 'tool-session.started', data: opened() }, origin) as AnyFactEvent, life)).toBeUndefined();
});
