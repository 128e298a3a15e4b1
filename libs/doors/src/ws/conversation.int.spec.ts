import { once } from 'node:events';
import { connect } from 'node:net';
import { doorInProcess, type DoorInProcess, type DoorParts } from './testing/door-in-process.js';
import { heldAgent } from './testing/held-agent.js';
import { Peer, closeCode, handshake, rawFrame, rest } from './testing/peer.js';

let doors: DoorInProcess;
const open = async (parts: DoorParts = {}) => (doors = await doorInProcess(parts));
afterEach(() => doors.stop());

it('C3 and E9 answer each frame by its id with the events of a stream, and file one record for each', async () => {
  await open({ agent: async (input, piece) => (piece('a'), piece('b'), input.toUpperCase()) });
  const peer = await Peer.open(doors.url);
  peer.say({ id: 'one', input: 'zwölf' });
  await peer.terminal('one');
  expect(peer.frames).toEqual([
    { id: 'one', event: 'progress', data: { step: 1 } },
    { id: 'one', event: 'chunk', data: { text: 'a' } },
    { id: 'one', event: 'chunk', data: { text: 'b' } },
    { id: 'one', event: 'complete', data: { output: 'ZWÖLF' } },
  ]);
  peer.say({ id: 2, op: 'session-list' });
  expect(await peer.terminal(2)).toMatchObject({ event: 'error', data: { code: 'ERR_SESSION_OP_NEEDS_IDENTITY' } });
  peer.say({ input: '' });
  expect(await peer.terminal(undefined)).toMatchObject({ event: 'error', data: { code: 'ERR_INVALID_RUN_INPUT' } });
  peer.say({ id: 4, op: 'artifact-get', ref: 'r' });
  await peer.terminal(4);
  peer.say({ id: 5, decision: null });
  expect(await peer.terminal(5)).toMatchObject({ data: { code: 'ERR_NO_PENDING_ASK' } });
  expect(doors.entries.map(({ door, op, outcome }) => [door, op, outcome])).toEqual([
    ['turn', undefined, 'served'],
    ['session-op', 'session-list', 'refused'],
    ['turn', undefined, 'refused'],
    ['artifact', 'artifact-get', 'refused'],
    ['turn', undefined, 'refused'],
  ]);
  expect(doors.counts).toEqual(['accepted-upgrade']);
});

it('C3 runs one turn at a time, refuses a second by its own frame, and serves operations meanwhile', async () => {
  const { agent, ran, began, letGo } = heldAgent();
  await open({ agent });
  const peer = await Peer.open(doors.url, {}, '/conversation?sessionId=s');
  peer.say({ id: 1, input: 'first' });
  await once(began, 'turn');
  peer.say({ id: 2, input: 'second', sessionId: 'another' });
  peer.say({ id: 3, op: 'session-list' });
  expect(await peer.terminal(2)).toMatchObject({ event: 'error', data: { code: 'ERR_CONCURRENT_RUN' } });
  expect((await peer.terminal(3)).event).toBe('error');
  letGo();
  expect(await peer.terminal(1)).toEqual({ id: 1, event: 'complete', data: { output: 'first' } });
  peer.say({ id: 4, input: 'third' });
  await once(began, 'turn');
  letGo();
  await peer.terminal(4);
  expect(ran).toEqual(['first: done', 'third: done']);
  expect(doors.entries.map(({ door, errorCode }) => [door, errorCode])).toContainEqual(['turn', 'ERR_CONCURRENT_RUN']);
});

it('C3 cancels one request by its id, and the conversation goes on', async () => {
  const { agent, ran, began } = heldAgent();
  await open({ agent });
  const peer = await Peer.open(doors.url);
  peer.say({ id: 1, input: 'long' });
  await once(began, 'turn');
  peer.say({ cancel: 'nobody' });
  peer.say({ cancel: 1 });
  expect((await peer.terminal(1)).event).toBe('error');
  expect([ran, doors.faults]).toEqual([['long: aborted'], []]);
  peer.say({ id: 2, op: 'session-list' });
  await peer.terminal(2);
});

it('C3, E4 and D26 let a bad frame end nothing but itself', async () => {
  await open();
  const peer = await Peer.open(doors.url, {}, '/conversation?sessionId=s');
  peer.say('{');
  peer.say('{"input":"a","input":"b"}');
  peer.say({ id: {} });
  peer.say({ id: 1, op: 'nothing' });
  peer.say({ id: 2, sessionId: 'a b', input: 'x' });
  peer.say({ id: 3, input: 'still here' });
  expect(await peer.terminal(3)).toMatchObject({ event: 'complete' });
  expect(peer.frames.filter(({ event }) => event === 'error').map(({ id, data }) => [id, data.code])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [1, 'ERR_INVALID_WIRE_OP'],
    [2, 'ERR_INVALID_SESSION_ID'],
  ]);
  expect(doors.counts).toEqual(['accepted-upgrade', 'unparseable-body', 'unparseable-body', 'unparseable-body', 'bad-wire-op']);
  expect(doors.entries.map(({ door, outcome }) => [door, outcome])).toEqual([
    ['conversation', 'refused'],
    ['turn', 'served'],
  ]);
});

it.each<[string, number, (frame: typeof rawFrame) => Buffer]>([
  ['a length of more than 1 MiB is announced', 1009, (frame) => frame(1, Buffer.from('{'), { announced: 1024 * 1024 + 1 })],
  [
    'fragments are more than 1 MiB together',
    1009,
    (frame) => Buffer.concat([frame(1, Buffer.alloc(600_000, 0x61), { fin: false }), frame(0, Buffer.from('a'), { announced: 500_000 })]),
  ],
  ['a frame is binary', 1003, (frame) => frame(2, Buffer.from('{}'))],
  ['a frame is not masked', 1002, (frame) => frame(1, Buffer.from('{}'), { masked: false })],
  ['an opcode is unknown', 1002, (frame) => frame(3, Buffer.from('{}'))],
  ['a continuation continues nothing', 1002, (frame) => frame(0, Buffer.from('{}'))],
  ['text is no UTF-8', 1007, (frame) => frame(1, Buffer.from([0x22, 0xff, 0x22]))],
])('C2 ends the conversation when %s: %i', async (_what, code, bytes) => {
  await open();
  const client = connect(doors.port, '127.0.0.1', () => client.write(Buffer.concat([Buffer.from(handshake(doors.port)), bytes(rawFrame)])));
  const ended = rest(client);
  client.on('data', (chunk: Buffer) => {
    if (chunk.includes(0x88)) client.end();
  });
  expect(closeCode(await ended)).toBe(code);
});

it('C2 takes a message of exactly 1 MiB, and one in many fragments', async () => {
  await open({ agent: async (input) => String(input.length) });
  const peer = await Peer.open(doors.url);
  const frame = (length: number) => JSON.stringify({ id: 1, input: 'a'.repeat(length) });
  peer.say(frame(1024 * 1024 - frame(0).length));
  expect(await peer.terminal(1)).toMatchObject({ event: 'complete' });
  const parts = Buffer.from(JSON.stringify({ id: 2, input: '€'.repeat(5) }));
  for (let at = 0; at < parts.length; at++) peer.socket.send(parts.subarray(at, at + 1), { binary: false, fin: at + 1 === parts.length });
  expect(await peer.terminal(2)).toMatchObject({ data: { output: '5' } });
});

it('C2 ends the conversation with 1011 on a fault of ours, and tells of it', async () => {
  await open();
  jest.spyOn(doors.door, 'serve').mockRejectedValue(new Error('a fault'));
  const peer = await Peer.open(doors.url);
  peer.say({ id: 1, input: 'x' });
  expect((await peer.closed).code).toBe(1011);
  expect(doors.faults).toMatchObject([{ message: 'a fault' }]);
});
