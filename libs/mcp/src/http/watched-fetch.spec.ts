import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { ConnectionGuard } from '../requests/connection-guard.js';
import { RequestLedger } from '../requests/request-ledger.js';
import { HttpWire } from './http-wire.js';
import { watchedFetch } from './watched-fetch.js';

const wire = new HttpWire();
const guard = new ConnectionGuard();
const fetch = watchedFetch({
  wire,
  ledger: new RequestLedger(),
  guard,
  strict: false,
  maxResultBytes: 100,
  maxMessageBytes: 1_000,
  onSessionGone: () => {},
});
afterAll(() => wire.close());

/** Answers every connection with these bytes. */
async function answering(bytes: string): Promise<{ url: string; close(): void; received: () => number }> {
  let received = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      received++;
      socket.end(bytes);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close(), received: () => received };
}

it('M17 ends a session at its server only for whoever closes the connection', async () => {
  const server = await answering('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  await expect(fetch(server.url, { method: 'DELETE' })).rejects.toMatchObject({ code: 'ERR_REQUEST_UNGUARDED' });
  expect(server.received()).toBe(0);
  const release = guard.hold('close');
  expect((await fetch(server.url, { method: 'DELETE' })).status).toBe(200);
  release();
  server.close();
});

it.each([
  ['a status of its own', 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'],
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['half a head', 'HTTP/1.1 200 OK\r\nconte'],
  ['a body that stops', 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello'],
  ['a body past the bound', `HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${'x'.repeat(5_000)}`],
])('M6 a server that answers %s is an error of that request and of nothing else', async (_, bytes) => {
  const server = await answering(bytes);
  const read = async () => (await fetch(server.url, { method: 'POST', body: '{}' })).text();
  await expect(read()).rejects.toThrow();
  server.close();
});
