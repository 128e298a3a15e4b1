import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventOf, partitionCounts, topics, type Fact, type FactEvent } from '@doorledger/contracts';
import { AppendRefusedError, openSqliteLog, type EventLog } from '@doorledger/event-log';
import { LedgerGenerations, replay } from '@doorledger/ledger';
import type { References } from '@doorledger/privacy';
import { Projection } from './projection.js';

const KEY = 'a'.repeat(32);
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const request = (n: number) => String(n).padStart(64, '0');

let dir: string;
let log: EventLog;
let projection: Projection;
let refused: unknown[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-feed-'));
  log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
  refused = [];
  projection = await opened();
});
afterEach(async () => {
  await projection.close();
  await log.close();
  rmSync(dir, { recursive: true });
});

async function opened(onLog: EventLog = log): Promise<Projection> {
  const made = new Projection();
  const references = {} as References;
  await made.open({ log: onLog, generations: new LedgerGenerations(dir), references, onFeedRefused: (error) => refused.push(error) });
  return made;
}
const add = async (...facts: Fact[]) => {
  const events = facts.map((fact) => eventOf(fact, { source: '/doorledger/test/host', now: () => 0 }));
  await log.append(
    topics.session.name,
    events.map((event) => ({ key: KEY, ...encode(event) })),
  );
};
/** A run that asks under a grant and closes: two facts for the feed. */
async function ask(n: number) {
  const [turnId, runId, requestId] = [uuid(n), uuid(n + 100), request(n)];
  const run = { turnId, runId };
  const minted = {
    ...run,
    requestId,
    callId: uuid(n + 200),
    gate: 'ask',
    server: 'mail',
    tool: 'send',
    toolHash: request(0),
    ledger: uuid(0),
    partyRef: KEY,
    grant: uuid(7),
  } as const;
  await add(
    { type: 'turn.claimed', data: { ...run, hostId: 'h', bootId: uuid(1), after: n === 1 ? null : uuid(n + 99) } },
    { type: 'consent.minted', data: minted },
    { type: 'turn.failed', data: { ...run, errorName: 'Test', liveToolSessions: 0 } },
  );
}
async function project(of: Projection = projection) {
  const { projector } = of;
  for await (const batch of log.read(topics.session.name, projector.applied[topics.session.name]!)) await of.take(batch);
}
async function feed(): Promise<FactEvent[]> {
  const events: FactEvent[] = [];
  for await (const { records } of log.read(topics.consent.name, [0, 0, 0, 0]))
    events.push(...records.map(({ decoded }) => decoded.body as unknown as FactEvent));
  return events;
}
const told = async () => (await feed()).map(({ type, subject }) => `${type} ${Number(subject)}`).sort();

it('V5 writes the feed beside the ledger, keyed by request, and goes on where it was', async () => {
  await ask(1);
  await project();
  await projection.close();
  projection = await opened();
  await ask(2);
  await project();
  expect(await told()).toEqual(['consent.requested 1', 'consent.requested 2', 'consent.settled 1', 'consent.settled 2']);
});

it('V5 and X0 write nothing again on a replay, nor when the ledger is made anew from the log', async () => {
  await ask(1);
  await project();
  const before = await told();
  expect((await replay({ log, generations: new LedgerGenerations(dir) })).isEqual).toBe(true);
  expect(await told()).toEqual(before);
  await projection.close();
  for (const file of ['ledger.1.db', 'ledger.2.db', 'ledger.current']) rmSync(join(dir, file), { force: true });
  projection = await opened();
  await project();
  expect(await told()).toEqual(before);
});

it('V5 has told what a commit would have moved past when that commit does not come to be', async () => {
  await ask(1);
  jest.spyOn(projection.store, 'commit').mockResolvedValue('stale');
  await expect(project()).rejects.toMatchObject({ code: 'ERR_LEDGER_TAKEN' });
  expect(await told()).toHaveLength(2);
  await projection.close();
  projection = await opened();
  await project();
  expect(await told()).toEqual(['consent.requested 1', 'consent.settled 1']);
});

it('V5 keeps no ledger from going on when the log does not take the feed', async () => {
  await ask(1);
  await projection.close();
  const append: EventLog['append'] = (topic, records) =>
    topic === topics.consent.name ? Promise.reject(new AppendRefusedError('ERR_DENIED', 'No.')) : log.append(topic, records);
  projection = await opened(new Proxy(log, { get: (of, name) => (name === 'append' ? append : bound(of, name)) }));
  await project();
  expect([refused.length, await told(), projection.problems]).toEqual([1, [], []]);
});

function bound(of: EventLog, name: string | symbol): unknown {
  const value = Reflect.get(of, name) as unknown;
  return typeof value === 'function' ? (value as () => unknown).bind(of) : value;
}
