import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { attempt } from '../../../libs/webhooks/src/attempt.js';

const secret = randomBytes(32);
const old = randomBytes(32);
const event = { id: 'msg_one', body: '{"type":"consent.waiting"}' };
let child: ChildProcessByStdio<null, Readable, Readable>;
let url: string;
let printed = '';
beforeAll(async () => {
  child = spawn(process.execPath, [join(__dirname, '../../../examples/webhook-receiver.mjs')], {
    env: { PATH: process.env.PATH, PORT: '0', WEBHOOK_SECRET: `whsec_${secret.toString('base64')}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (text: Buffer) => (printed += text.toString()));
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  url = /http:\S+/.exec(line.toString())![0];
});
afterAll(async () => {
  child.kill();
  await once(child, 'exit');
});

async function send(secrets: readonly Buffer[], now = Date.now()): Promise<number> {
  const end = await attempt({ endpoint: { url, secrets }, event, timeoutMs: 20_000, signal: new AbortController().signal, now });
  return end.kind === 'delivered' ? 204 : end.status!;
}

it('N54 lets the example receiver take what is signed under its secret, and print it once', async () => {
  expect([await send([secret]), await send([secret]), await send([old, secret])]).toEqual([204, 204, 204]);
  expect(printed).toBe(`${event.body}\n`);
});

it('N54 lets it refuse another secret, a signature that is too old or of the future, and other bytes', async () => {
  const now = Date.now();
  expect([await send([old]), await send([secret], now - 301_000), await send([secret], now + 302_000)]).toEqual([401, 401, 401]);
  const headers: Record<string, string> = {};
  const spied = jest.spyOn(globalThis, 'fetch').mockImplementationOnce((_, init) => {
    Object.assign(headers, init!.headers);
    return Promise.resolve(new Response());
  });
  await send([secret]);
  spied.mockRestore();
  const forged = await fetch(url, { method: 'POST', headers, body: event.body.replace('waiting', 'settled') });
  expect([forged.status, (await fetch(url, { method: 'POST', headers, body: event.body })).status]).toEqual([401, 204]);
  expect((await fetch(url, { method: 'POST', body: event.body })).status).toBe(401);
});
