import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import type { ConsentNews } from '@doorledger/ledger';
import { openSqliteWebhookStore } from './sqlite/sqlite-webhook-store.js';
import { Receiver } from './testing/receiver.js';
import { Webhooks, type WebhooksOptions } from './webhooks.js';

/** A ledger with one partition: what is told at each offset. */
class Told {
  readonly news = new Map<number, ConsentNews>();
  end = 0;
  readonly read = async (_: number, from: number, limit: number) => {
    const to = Math.min(this.end, from + limit);
    const news = [...this.news].flatMap(([offset, of]) => (offset >= from && offset < to ? [of] : []));
    return { to: Math.max(to, from), end: this.end, news };
  };
  add(name: string): void {
    const consent = { requestId: name, state: 'pending', became: { state: 'pending' } } as const;
    this.news.set(this.end++, { kind: 'waiting', at: 1, consent });
  }
}

let dir: string;
let told: Told;
let receiver: Receiver;
const opened: Webhooks[] = [];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-outbox-'));
  told = new Told();
  receiver = await Receiver.start();
});
afterEach(async () => {
  for (const webhooks of opened.splice(0)) await webhooks.close();
  await receiver.stop();
  rmSync(dir, { recursive: true });
});

async function open(more: Partial<WebhooksOptions> = {}): Promise<Webhooks> {
  const webhooks = await Webhooks.open({
    store: openSqliteWebhookStore(dir),
    endpoints: [{ name: 'one', url: receiver.url, secrets: [randomBytes(32)], events: new Set(['consent.waiting'] as const) }],
    logId: 'log',
    ends: [{ start: 0, end: told.end }],
    read: told.read,
    limits: { timeoutMs: 5000, tries: 2, backlog: 100 },
    ...more,
  });
  opened.push(webhooks);
  return webhooks;
}
/** What arrived is forgotten a moment later. */
async function untilForgotten(webhooks: Webhooks): Promise<void> {
  while ((await webhooks.status()).some(({ waiting }) => waiting > 0)) await immediate();
}
const requests = () => receiver.got.map(({ body }) => (JSON.parse(body) as { data: { requestId: string } }).data.requestId);

it('N54 begins at the end of the log, and from then on tells of everything once, over a restart too', async () => {
  told.add('before webhooks were wanted');
  const first = await open();
  told.add('a');
  first.notice([0]);
  await receiver.until(({ length }) => length === 1);
  await untilForgotten(first);
  await first.close();
  told.add('while nobody was there');
  const second = await open();
  await receiver.until(({ length }) => length === 2);
  told.add('b');
  second.notice([0]);
  await receiver.until(({ length }) => length === 3);
  expect(requests()).toEqual(['a', 'while nobody was there', 'b']);
});

it('X0 tells nothing again while the ledger is built anew', async () => {
  const webhooks = await open();
  told.add('a');
  webhooks.notice([0]);
  await receiver.until(({ length }) => length === 1);
  const { end } = told;
  for (told.end = 0; told.end < end; told.end++) webhooks.notice([0]);
  told.add('b');
  webhooks.notice([0]);
  await receiver.until(({ length }) => length === 2);
  expect(requests()).toEqual(['a', 'b']);
});

it('N54 lets two that follow the same partition tell each thing once', async () => {
  const store = openSqliteWebhookStore(dir);
  const shared = { ...store, close: async () => {} };
  const both = [await open({ store: shared }), await open({ store: shared })];
  for (let i = 0; i < 20; i++) {
    told.add(`r${i}`);
    both.forEach((webhooks) => webhooks.notice([0]));
    if (i === 10) both.forEach((webhooks) => webhooks.takeUp([0]));
  }
  await receiver.until(({ length }) => length === 20);
  await untilForgotten(both[0]!);
  for (const webhooks of opened.splice(0)) await webhooks.close();
  expect(new Set(requests()).size).toBe(receiver.got.length);
  await store.close();
});

it('N54 goes on by itself once the ledger answers again, and says once that it did not', async () => {
  const errors: unknown[] = [];
  let isOut = true;
  const read: Told['read'] = (...range) => (isOut ? Promise.reject(new Error('away')) : told.read(...range));
  let onOutage!: () => void;
  const outage = new Promise<void>((resolve) => (onOutage = resolve));
  const webhooks = await open({
    read,
    onOutage: (error) => {
      errors.push(error);
      onOutage();
    },
  });
  told.add('a');
  webhooks.notice([0]);
  await outage;
  isOut = false;
  await receiver.until(({ length }) => length === 1);
  expect(errors).toHaveLength(1);
});

it('N54 refuses a log that holds less than it has told of', async () => {
  told.end = 5;
  await (await open()).close();
  await expect(open({ ends: [{ start: 0, end: 4 }] })).rejects.toMatchObject({ code: 'ERR_WEBHOOKS_AHEAD' });
});

it('N54 lists dead letters and endpoints, and sends a dead letter anew', async () => {
  receiver.answer = (response) => void response.writeHead(500).end();
  let onDead!: () => void;
  const died = new Promise<void>((resolve) => (onDead = resolve));
  const webhooks = await open({ wait: () => 0, onDead: () => onDead() });
  told.add('a');
  webhooks.notice([0]);
  await died;
  const [letter] = await webhooks.deadLetters({ limit: 9 });
  expect(letter).toMatchObject({ endpoint: 'one', requestId: 'a', status: 500, tries: 2 });
  expect(await webhooks.status()).toEqual([{ endpoint: 'one', events: ['consent.waiting'], state: 'active', waiting: 0, dead: 1 }]);
  receiver.answer = (response) => void response.writeHead(204).end();
  expect(await webhooks.redeliver(letter!)).toBe(1);
  expect((await receiver.until(({ length }) => length === 3)).map(({ id }) => id)).toEqual(Array(3).fill(letter!.eventId));
});
