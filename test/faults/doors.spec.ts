import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { askAt } from './doors.js';
import { nameOf } from './post.js';

it('each door is heard by what its answer says: a frame, a refusal before it, or nothing in time', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response
      .setHeader('content-type', 'text/event-stream')
      .end('event: error\nid: turn-1:1\ndata: {"error":"x","code":"ERR_CONCURRENT_RUN"}\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { who } = request.headers;
    if (who === undefined) return socket.end('HTTP/1.1 401 No\r\ncontent-length: 16\r\nconnection: close\r\n\r\n{"code":"ERR_X"}');
    sockets.handleUpgrade(request, socket, head, (peer) => {
      if (who === 'heard') peer.on('message', () => peer.send('{"id":1,"event":"complete","data":{"output":"hello"}}'));
    });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (door: Parameters<typeof askAt>[0], who?: string, limitMs = 30_000) =>
    askAt(door, url, { input: 'x' }, { limitMs, headers: who === undefined ? {} : { who } });
  expect(nameOf(await ask('stream'))).toBe('409 ERR_CONCURRENT_RUN');
  expect((await ask('stream')).turnId).toBe('turn-1');
  expect(nameOf(await ask('conversation'))).toBe('401 ERR_X');
  expect(await ask('conversation', 'heard')).toMatchObject({ status: 200, body: { output: 'hello' } });
  expect(await ask('conversation', 'unheard', 300)).toMatchObject({ status: 0, code: 'late' });
  server.close();
  server.closeAllConnections();
  expect((await ask('conversation')).status).toBe(0);
});
