import { connect } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../faults/load.js';
import { seeded } from '../faults/seeded.js';
import { rssMb, serve, type Served } from '../faults/served-process.js';

jest.setTimeout(120_000);
let dir: string;
let served: Served;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-hostile-'));
  served = await serve(dir, { DOORLEDGER_LOGGING_LEVEL: 'debug' });
});
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

const port = () => Number(new URL(served.url).port);
const json = 'content-type: application/json\r\n';

/** Sends bytes as they are; what came back until the server ended the connection. */
function exchange(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port(), '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

const request = (body: string, headers = ''): string =>
  `POST /invoke HTTP/1.1\r\nHost: localhost\r\n${json}${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

it('D6 and D20 answer what is no HTTP in the doors’ shape, end that connection, and serve on', async () => {
  const broken = {
    'no HTTP at all': '\x16\x03\x01canary\r\n\r\n',
    'two lengths': `POST /invoke HTTP/1.1\r\nHost: localhost\r\n${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    'a length and chunks': `POST /invoke HTTP/1.1\r\nHost: localhost\r\n${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'a broken chunk': `POST /invoke HTTP/1.1\r\nHost: localhost\r\n${json}Transfer-Encoding: chunked\r\n\r\ncanary\r\n`,
    'bytes that are no path': Buffer.concat([
      Buffer.from('GET /'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from(' HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    ]),
    'huge headers': `GET /health HTTP/1.1\r\nHost: localhost\r\nX-Canary: ${'canary'.repeat(20_000)}\r\n\r\n`,
  };
  for (const [name, bytes] of Object.entries(broken)) {
    const answer = await exchange(bytes);
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    expect([name, answer.split(' ')[1], body]).toEqual([
      name,
      name === 'huge headers' ? '431' : '400',
      '{"error":"The request could not be read."}',
    ]);
  }
  expect(await ask(served.url, { input: 'x' })).toMatchObject({ status: 200 });
});

it('D5 ends a chunked body at 1 MiB, whatever length it was going to have', async () => {
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
  const answer = await exchange(`POST /invoke HTTP/1.1\r\nHost: localhost\r\n${json}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  expect(answer).toMatch(/\{"error":"The body is larger than 1 MiB\."\}$/);
});

it('D1 answers pipelined requests one by one, in their order', async () => {
  const answer = await exchange(
    ['one', 'two', 'three'].map((input) => request(JSON.stringify({ input }))).join('') + request('', 'Connection: close\r\n'),
  );
  expect([...answer.matchAll(/\{"output":"(\w+)"\}/g)].map(([, output]) => output)).toEqual(['one', 'two', 'three']);
  expect(answer).toMatch(/ERR_INVALID_RUN_INPUT"\}$/);
});

it('D17 takes names of the language for names like any other', async () => {
  const answers: [string, number, string][] = [
    ['{"__proto__":{"input":"x"}}', 400, 'ERR_INVALID_RUN_INPUT'],
    ['{"input":"x","__proto__":{"op":"y","sessionId":""}}', 200, '"output":"x"'],
    ['{"toString":1,"hasOwnProperty":2,"input":"x"}', 200, '"output":"x"'],
    ['{"op":"__proto__"}', 400, 'ERR_INVALID_WIRE_OP'],
    ['{"input":"x","sessionId":"__proto__"}', 200, '"output":"x"'],
    ['{"input":"x","sessionId":"constructor"}', 200, '"output":"x"'],
    ['['.repeat(100_000), 400, 'The body is not JSON.'],
  ];
  for (const [body, status, part] of answers) {
    const response = await fetch(`${served.url}/invoke`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect([body.slice(0, 60), response.status, await response.text()]).toEqual([body.slice(0, 60), status, expect.stringContaining(part)]);
  }
  for (const query of [
    '__proto__=1',
    'constructor=1',
    'limit[__proto__]=1',
    'cursor=WzEsMiwzXQ',
    'at=__proto__:0:0',
    'limit=1e9',
    'at=a&at=b',
  ])
    expect([query, (await fetch(`${served.url}/v1/sessions?${query}`)).status]).toEqual([query, 400]);
});

it('O5 keeps sessions whose ids look alike apart', async () => {
  const alike = ['a', 'A', 'a.', 'a/', '%61', 'a%00', '../a', 'a'.repeat(400), `${'a'.repeat(399)}b`];
  for (const sessionId of alike) expect(await ask(served.url, { input: 'x', sessionId })).toMatchObject({ status: 200 });
  const seen = new Set<unknown>();
  for (const sessionId of alike) {
    const { position } = await turn(sessionId);
    const response = await fetch(`${served.url}/v1/sessions/${encodeURIComponent(sessionId)}/timeline?at=${position}`);
    const { items } = (await response.json()) as { items?: object[] };
    expect([sessionId.slice(0, 10), items?.length]).toEqual([sessionId.slice(0, 10), 6]);
    seen.add(JSON.stringify(items?.[0]));
  }
  expect(seen.size).toBe(alike.length);
});

async function turn(sessionId: string): Promise<{ position: string }> {
  const response = await fetch(`${served.url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'x', sessionId }),
  });
  return { position: response.headers.get('x-doorledger-position')! };
}

it('D24 records the turn of a caller that hangs up at any moment, and frees its session', async () => {
  const random = seeded(7);
  const cut = Array.from({ length: 300 }, async (_, i) => {
    const socket = connect(port(), '127.0.0.1');
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('connect', resolve));
    const bytes = request(JSON.stringify({ input: 'x'.repeat(500), sessionId: `hung-${i % 60}` }));
    socket.write(random() < 0.2 ? bytes.slice(0, Math.floor(random() * bytes.length)) : bytes);
    await sleep(random() * 60);
    socket.destroy();
  });
  await Promise.all(cut);
  const after = await Promise.all(Array.from({ length: 60 }, (_, i) => retried(`hung-${i}`)));
  expect(after.filter((status) => status !== 200)).toEqual([]);
  const { items } = (await (await fetch(`${served.url}/v1/ingress?limit=100`)).json()) as {
    items: { outcome: string; errorName?: string }[];
  };
  expect(items.filter(({ outcome, errorName }) => outcome === 'failed' && errorName === 'AbortError').length).toBeGreaterThan(0);
  expect((await fetch(`${served.url}/ready`)).status).toBe(200);
});

/** A session whose caller hung up may still be at work for a moment. */
async function retried(sessionId: string): Promise<number> {
  for (;;) {
    const { status } = await ask(served.url, { input: 'again', sessionId });
    if (status !== 409) return status;
  }
}

it('D1 gives each of 1 000 connections at once its own answer, in bounded memory', async () => {
  const before = rssMb(served.pid);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => exchange(request(`{"input":"mine-${i}"}`, 'Connection: close\r\n'))),
  );
  const wrong = answers.filter((answer, i) => !answer.endsWith(`{"output":"mine-${i}"}`));
  expect(wrong).toEqual([]);
  expect(rssMb(served.pid) - before).toBeLessThan(250);
});

it('D22 and X1 say nothing of a caller in any log line, and nothing of all this was a fault', () => {
  const lines = served.words().split('\n');
  expect(lines.filter((line) => /canary|mine-\d|hung-\d/i.test(line))).toEqual([]);
  expect(lines.filter((line) => /"level":"(error|fatal)"/.test(line)).slice(0, 3)).toEqual([]);
});
