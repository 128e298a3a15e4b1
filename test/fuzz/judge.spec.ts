import { AnswerReader } from './answer-reader.js';
import { goodbye, readFrames } from './frames.js';
import { Judge } from './judge.js';

const asked = Buffer.from('GET / HTTP/1.1\r\n\r\n');
const json = { 'content-type': 'application/json' };
const refusal = (more: object = {}) => ({ status: 400, headers: json, body: JSON.stringify({ error: 'No.', ...more }) });

function found(judged: (judge: Judge) => void): string[] {
  const judge = new Judge();
  judged(judge);
  return judge.violations.map(({ rule }) => rule);
}

/** A text or a close frame as a server sends it. */
const frame = (opcode: number, payload: Buffer | string) =>
  Buffer.concat([Buffer.from([0x80 | opcode, Buffer.byteLength(payload)]), Buffer.from(payload)]);

it.each<[string, string, Parameters<Judge['came']>[0]]>([
  ['silence', 'D20', 'silent'],
  ['bytes that are no HTTP', 'D20', 'garbage'],
  ['a status that no door has', 'D6', { ...refusal({ code: 'ERR_X' }), status: 502 }],
  ['a page', 'D6', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' }],
  ['half a body', 'D6', { status: 200, headers: json, body: '{' }],
  ['a refusal without a sentence', 'D6', { status: 400, headers: json, body: '{}' }],
  ['a failure that nobody can look up', 'D22', { ...refusal(), status: 500 }],
  ['a stack', 'D22', refusal({ error: 'Error: no\n    at serve (door)' })],
  ['a path of ours', 'D22', refusal({ error: "no such file '/home/someone/x'" })],
  ['a place in our code', 'D22', refusal({ error: 'thrown at request-door.js:12' })],
])('a planted fault is found: %s', (_what, rule, came) => expect(found((judge) => judge.came(came, asked))).toEqual([rule]));

it('finds no fault in good answers, and counts them', () => {
  const judge = new Judge();
  for (const came of [
    'closed',
    refusal(),
    { status: 204, headers: {}, body: '' },
    { ...refusal({ reference: 'r1' }), status: 500 },
  ] as const)
    judge.came(came, asked);
  judge.logLines('{"reference":"r1"}');
  expect([judge.violations, judge.answers]).toEqual([[], { 204: 1, 400: 1, 500: 1 }]);
});

it('finds a reference that is in no log line, and an error that nobody handled', () => {
  const judge = new Judge();
  judge.came({ ...refusal({ reference: 'r1' }), status: 500 }, asked);
  judge.logLines('unhandledRejection');
  expect(judge.violations.map(({ rule }) => rule)).toEqual(['D22', 'D20']);
});

it.each<[string, Buffer | undefined]>([
  ['a conversation that does not end', undefined],
  ['the masked frame of a client', goodbye()],
  ['a fault of ours', frame(8, Buffer.from([0x03, 0xf3]))],
  ['a binary frame', frame(2, 'x')],
])('a planted fault of a conversation is found: %s', (_what, bytes) => expect(found((judge) => judge.conversation(bytes))).toEqual(['C2']));

it.each(['{', '{"data":{}}', '{"event":"error","data":1}'])('a planted frame that is none is found: %s', (text) => {
  expect(found((judge) => judge.conversation(frame(1, text)))).toEqual(['C3']);
});

it('reads the frames of a server one by one, up to its goodbye', () => {
  const long = 'x'.repeat(200);
  const head = Buffer.from([0x81, 126, 0, 200]);
  const bytes = Buffer.concat([
    frame(1, 'a'),
    frame(9, ''),
    head,
    Buffer.from(long),
    frame(8, Buffer.from([0x03, 0xe9])),
    frame(1, 'late'),
  ]);
  expect(readFrames(bytes)).toEqual({ texts: ['a', long], closeCode: 1001 });
});

it('reads answers however they are cut, interim ones left out, and tells garbage', () => {
  const reader = new AnswerReader();
  const wire =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}';
  const bodies: string[] = [];
  for (const byte of Buffer.from(wire)) {
    reader.push(Buffer.from([byte]));
    const next = reader.next(false);
    if (typeof next === 'object') bodies.push(`${next.status} ${next.body}`);
  }
  expect(bodies).toEqual(['200 abc', '404 {}']);
  reader.push(Buffer.from('SSH-2.0\r\n\r\n'));
  expect(reader.next(false)).toBe('garbage');
});
