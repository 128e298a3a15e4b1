import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventOf, partitionCounts, topics, type Fact } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { LedgerGenerations, Projector, ledgerReader, type LedgerStore } from '@doorledger/ledger';
import { ContentKeys, loadDeploymentKey, openSqliteKeyStore, type KeyStore } from '@doorledger/privacy';
import { PrivateWriter } from '@doorledger/turns';
import { SessionOps } from './session-ops.js';

const owner = 'a1'.repeat(16);
const caller = { isVerified: true, userRef: owner };
const origin = { source: '/doorledger/test/h', now: Date.now };
const read = [topics.session.name, topics.private.name];

let dir: string;
let log: EventLog;
let store: LedgerStore;
let projector: Projector;
let keyStore: KeyStore;
let content: PrivateWriter;
let ops: SessionOps;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-session-list-'));
  log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
  ({ store } = new LedgerGenerations(dir).openLive());
  projector = await Projector.open({ store, topics: log.topics, gatherMs: 0 });
  keyStore = openSqliteKeyStore(dir);
  const keys = new ContentKeys(loadDeploymentKey({ configured: 'ab'.repeat(32), dir, mayCreate: false }), keyStore);
  content = new PrivateWriter({ log, keys, origin });
  const unasked = () => Promise.reject(new Error('Nobody asked for this.'));
  const ledger = ledgerReader(store, log.topics);
  ops = new SessionOps({ ledger, keys, view: { hold: unasked }, claims: { append: unasked }, transcriptOf: unasked, pendingOf: unasked });
});
afterAll(async () => {
  await projector.close();
  for (const part of [store, keyStore, log]) await part.close();
  rmSync(dir, { recursive: true });
});

const claim = (after: string | null, signer = owner): Fact => ({
  type: 'turn.claimed',
  data: { turnId: randomUUID(), runId: randomUUID(), hostId: 'h', bootId: randomUUID(), after, signer },
});
const append = (said: readonly (readonly [key: string, fact: Fact])[]) =>
  log.append(
    topics.session.name,
    said.map(([key, fact]) => ({ key, ...encode(eventOf(fact, origin)) })),
  );

async function catchUp(): Promise<void> {
  for (const topic of read) for await (const batch of log.read(topic, projector.applied[topic]!)) await projector.take(batch);
}

interface Page {
  readonly sessions: readonly { readonly sessionId: string; readonly savedAt: string }[];
  readonly cursor?: string;
}
const page = async (cursor?: string) => ((await ops.list(caller, cursor)) as unknown as { readonly body: Page }).body;
const idsOf = ({ sessions }: Page) => sessions.map(({ sessionId }) => sessionId);

it('O6 lists newest first, 50 a page, in one order however many began at once and whatever happens in between', async () => {
  const sessions = Array.from({ length: 120 }, (_, i) => ({
    key: randomBytes(16).toString('hex'),
    id: `session ${i}`,
    claim: claim(null),
  }));
  await Promise.all(sessions.map(({ key, id }) => content.sessionName(key, id)));
  // One append: they have the same time, or nearly.
  await append(sessions.map(({ key, claim: first }) => [key, first] as const));
  await append([[randomBytes(16).toString('hex'), claim(null, 'b2'.repeat(16))]]);
  await catchUp();

  const first = await page();
  expect(await page()).toEqual(first);
  const renewed = sessions.find(({ id }) => id === idsOf(first)[10])!;
  const { turnId, runId } = (renewed.claim as Extract<Fact, { type: 'turn.claimed' }>).data;
  await append([[renewed.key, { type: 'turn.failed', data: { turnId, runId, errorName: 'Test', liveToolSessions: 0 } }]]);
  await catchUp();
  const second = await page(first.cursor);
  const third = await page(second.cursor);

  expect([first, second, third].map(({ sessions: listed }) => listed.length)).toEqual([50, 50, 20]);
  expect(third.cursor).toBeUndefined();
  const listed = [first, second, third].flatMap(idsOf);
  expect(new Set(listed)).toEqual(new Set(sessions.map(({ id }) => id)));
  const times = [first, second, third].flatMap(({ sessions: rows }) => rows.map(({ savedAt }) => savedAt));
  expect(times).toEqual([...times].sort().reverse());
  expect(new Set(times).size).toBeLessThan(120);
  expect(idsOf(await page())[0]).toBe(renewed.id);
});

it('O6 takes no cursor that it did not give', async () => {
  for (const cursor of ['x', '', Buffer.from('[1]').toString('base64url')])
    await expect(page(cursor)).rejects.toMatchObject({ code: 'ERR_INVALID_QUERY' });
});
