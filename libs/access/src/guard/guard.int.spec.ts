import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { makeGuard } from './guard.js';

/** A server that answers the guard's status and nothing else, to requests and upgrades. */
let server: Server;
let port: number;
beforeAll(async () => {
  const guard = makeGuard({ bindHost: '127.0.0.1', contentType: true, trustedProxies: [] });
  const judge = ({ method = '', headers, rawHeaders, socket }: IncomingMessage, isUpgrade: boolean): number => {
    const refused = guard({ method, isUpgrade, isProbe: false, headers, rawHeaders, from: socket.remoteAddress });
    return refused?.status ?? 200;
  };
  server = createServer((request, response) => response.writeHead(judge(request, false), { connection: 'close' }).end());
  server.on('upgrade', (request, socket) => socket.end(`HTTP/1.1 ${judge(request, true)} Judged\r\n\r\n`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** The status that the lines of a raw head are answered by. */
async function status(...lines: string[]): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}

const POST = 'POST /invoke HTTP/1.1';
const handshake = ['GET /conversation HTTP/1.1', 'Upgrade: websocket', 'Connection: Upgrade'];
const own = () => `Host: localhost:${port}`;
const json = 'Content-Type: application/json';

it('G2, G4 and G7 see headers that stand twice on the wire', async () => {
  expect(await status(POST, own(), json, 'Content-Length: 0')).toBe(200);
  expect(await status(POST, own(), 'Host: evil.example', json, 'Content-Length: 0')).toBe(421);
  expect(await status(POST, own(), json, 'CONTENT-TYPE: text/plain', 'Content-Length: 0')).toBe(415);
  const origin = `Origin: http://localhost:${port}`;
  expect(await status(POST, own(), origin, json, 'Content-Length: 0')).toBe(200);
  expect(await status(POST, own(), origin, 'Origin: http://evil.example', json, 'Content-Length: 0')).toBe(403);
});

it('G7 answers 421 to a request of HTTP/1.0 without a Host', async () => {
  expect(await status('POST /invoke HTTP/1.0', json, 'Content-Length: 0')).toBe(421);
});

it('G8 answers 421 to a page whose name was rebound to this machine', async () => {
  const rebound = ['Host: rebound.example:8080', 'Origin: http://rebound.example:8080', 'Sec-Fetch-Site: same-origin'];
  expect(await status(POST, ...rebound, json, 'Content-Length: 0')).toBe(421);
  expect(await status('GET /v1/sessions HTTP/1.1', ...rebound)).toBe(421);
  expect(await status(...handshake, ...rebound)).toBe(421);
});

it('G4 and G6 refuse a WebSocket from a page of another site, and take one from the own page and from no browser', async () => {
  expect(await status(...handshake, own(), 'Origin: https://evil.example', 'Sec-Fetch-Site: cross-site')).toBe(403);
  expect(await status(...handshake, own(), 'Origin: null')).toBe(403);
  expect(await status(...handshake, own(), 'Sec-Fetch-Site: same-origin')).toBe(403);
  expect(await status(...handshake, own(), `Origin: http://localhost:${port}`, 'Sec-Fetch-Site: same-origin')).toBe(200);
  expect(await status(...handshake, own())).toBe(200);
});
