import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { Lane, type LaneOptions } from './lane.js';
import { signatureOf } from './signature.js';
import { openSqliteWebhookStore } from './sqlite/sqlite-webhook-store.js';
import { Receiver } from './testing/receiver.js';
import type { WebhookStore } from './webhook-store.js';

const secrets = [randomBytes(32), randomBytes(32)];
let dir: string;
let store: WebhookStore;
let receiver: Receiver;
let lanes: Lane[];
let places: number;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-lane-'));
  store = openSqliteWebhookStore(dir);
  await store.begin('log', [0]);
  receiver = await Receiver.start();
  lanes = [];
  places = 0;
});
afterEach(async () => {
  await Promise.all(lanes.map((lane) => lane.close()));
  await Promise.all([store.close(), receiver.stop()]);
  rmSync(dir, { recursive: true });
});

/** Waits of no time between tries, so that a spec takes none. */
function lane(more: Partial<LaneOptions> = {}, url = receiver.url, name = 'one'): Lane {
  const endpoint = { name, url, secrets, events: new Set<never>() };
  const made = new Lane({ endpoint, store, limits: { timeoutMs: 5000, tries: 3, backlog: 100 }, wait: () => 0, ...more });
  lanes.push(made);
  return made;
}
async function add(names: readonly string[], endpoint = 'one'): Promise<void> {
  const deliveries = names.map((name) => ({
    endpoint,
    eventId: `msg_${name}`,
    type: 'consent.waiting',
    requestId: name,
    body: `{"n":"${name}"}`,
  }));
  expect(await store.enqueue({ logId: 'log', partition: 0, from: places, to: ++places }, deliveries, 100, Date.now())).toBe('moved');
}
const told = () => new Promise<{ eventId?: string; status?: number; error?: string }>((resolve) => (onDead = resolve));
let onDead: (letter: { eventId?: string; status?: number; error?: string }) => void = () => {};
const dead = { onDead: (letter: object) => onDead(letter) };
const waiting = async () => (await store.counts()).map(({ endpoint, waiting: count, dead: gone }) => [endpoint, count, gone]);
/** What arrived is forgotten a moment later. */
async function untilKept(counts: readonly (readonly (string | number)[])[]): Promise<void> {
  while (JSON.stringify(await waiting()) !== JSON.stringify(counts)) await immediate();
}

it('N54 sends each delivery once, signed with its id and the time', async () => {
  await add(['a', 'b']);
  const sending = lane();
  sending.wake();
  const got = await receiver.until(({ length }) => length === 2);
  await untilKept([]);
  for (const { id, body, headers } of got) {
    const timestamp = Number(headers['webhook-timestamp']);
    expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(60);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-signature': signatureOf({ id, timestamp, body }, secrets),
    });
  }
  expect(got.map(({ id }) => id).sort()).toEqual(['msg_a', 'msg_b']);
});

it('N54 tries again after an error, a refusal and a redirect, which it does not follow, and buries what fails too often', async () => {
  const statuses = [500, 302, 204];
  receiver.answer = (response) => void response.writeHead(statuses.shift() ?? 500, { location: '/elsewhere' }).end();
  await add(['a']);
  const sending = lane(dead);
  sending.wake();
  const got = await receiver.until(({ length }) => length === 3);
  expect(got.map(({ id, path }) => [id, path])).toEqual(Array(3).fill(['msg_a', '/hook']));
  const last = told();
  await add(['b']);
  sending.wake();
  expect(await last).toEqual({ endpoint: 'one', eventId: 'msg_b', status: 500 });
  expect(receiver.got).toHaveLength(6);
  expect(await store.deadLetters({ limit: 9 })).toMatchObject([{ eventId: 'msg_b', tries: 3, status: 500, why: 'tries' }]);
});

it('N54 names what kept a delivery from arriving: nobody there, or no answer in time', async () => {
  await add(['a']);
  const nobody = told();
  const gone = await Receiver.start();
  await gone.stop();
  lane({ ...dead, limits: { timeoutMs: 5000, tries: 1, backlog: 9 } }, gone.url).wake();
  expect(await nobody).toMatchObject({ error: 'ECONNREFUSED' });
  receiver.answer = () => {};
  await add(['b'], 'two');
  const silent = told();
  lane({ ...dead, limits: { timeoutMs: 50, tries: 1, backlog: 9 } }, receiver.url, 'two').wake();
  expect(await silent).toMatchObject({ eventId: 'msg_b', error: 'timeout' });
});

it('N54 waits as long as a Retry-After says', async () => {
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '7' }).end();
  const asked = new Promise<number[]>((resolve) => {
    lane({
      wait: (tries, retryAfterMs = 0) => {
        resolve([tries, retryAfterMs]);
        return 1e9;
      },
    });
  });
  await add(['a']);
  lanes[0]!.wake();
  expect(await asked).toEqual([1, 7000]);
});

it('N54 sends nothing more to an endpoint that says 410', async () => {
  receiver.answer = (response) => void response.writeHead(410).end();
  await add(['a', 'b', 'c', 'd', 'e', 'f']);
  const disabled = new Promise<string>((resolve) => lane({ onDisabled: resolve }));
  lanes[0]!.wake();
  expect(await disabled).toBe('one');
  await lanes[0]!.close();
  expect(receiver.got.length).toBeLessThanOrEqual(4);
  expect(await waiting()).toEqual([['one', 0, 6]]);
});

it('N54 has four deliveries of an endpoint under way at most, and one that never answers holds no other endpoint up', async () => {
  const slow = await Receiver.start();
  slow.answer = () => {};
  await add(
    Array.from({ length: 20 }, (_, i) => `s${i}`),
    'slow',
  );
  await add(Array.from({ length: 20 }, (_, i) => `q${i}`));
  lane({}, slow.url, 'slow').wake();
  await slow.until(({ length }) => length === 4);
  lane().wake();
  await receiver.until(({ length }) => length === 20);
  expect([slow.got.length, slow.mostOpen]).toEqual([4, 4]);
  expect(receiver.mostOpen).toBeLessThanOrEqual(4);
  await untilKept([['slow', 20, 0]]);
  await slow.stop();
});

it('N54 gives back what is under way when it is closed, as if it had not been tried', async () => {
  receiver.answer = () => {};
  await add(['a']);
  const first = lane();
  first.wake();
  await receiver.until(({ length }) => length === 1);
  await first.close();
  receiver.answer = (response) => void response.writeHead(204).end();
  lane().wake();
  expect((await receiver.until(({ length }) => length === 2)).map(({ id }) => id)).toEqual(['msg_a', 'msg_a']);
});
