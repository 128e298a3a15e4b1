import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askToSwitch, runningOn } from './running-process.js';

let dir: string;
let server: Server;
let answer: { status: number; body: string };
let asked: string[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-running-'));
  asked = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
      response.writeHead(answer.status).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  rmSync(dir, { recursive: true });
  if (server.listening) await new Promise((resolve) => server.close(resolve));
});

const running = () => ({ pid: 1, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'once' });

it('X4 switches through the operator API of the running process', async () => {
  answer = { status: 200, body: '{}' };
  writeFileSync(join(dir, 'running.json'), JSON.stringify(running()));
  expect(await askToSwitch(runningOn(dir)!, 7)).toBe('switched');
  expect(asked).toEqual(['POST /v1/operator/switch Bearer once {"generation":7}']);
});

it('passes on the sentence and the code of a refusal', async () => {
  answer = { status: 409, body: '{"error":"Not built.","code":"ERR_NO_GENERATION"}' };
  await expect(askToSwitch(running(), 7)).rejects.toMatchObject({ code: 'ERR_NO_GENERATION', message: 'Not built.' });
  answer = { status: 502, body: '<html>' };
  await expect(askToSwitch(running(), 7)).rejects.toMatchObject({ message: 'The running process refused (502).' });
});

it('finds out that the file of a killed process names nobody', async () => {
  const gone = running();
  await new Promise((resolve) => server.close(resolve));
  expect(await askToSwitch(gone, 7)).toBe('absent');
});

it.each([undefined, '{', '[]', 'null', '{"pid":1,"url":"http://x"}'])('takes %j for no running process', (text) => {
  if (text !== undefined) writeFileSync(join(dir, 'running.json'), text);
  expect(runningOn(dir)).toBeUndefined();
});
