import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '../wire/terminal.js';
import { ann, bob, doorInProcess, verifierOf, type DoorInProcess, type DoorParts, type TestAgent } from './testing/door-in-process.js';
import { heldAgent } from './testing/held-agent.js';
import { Peer, exchange, handshake, rawFrame } from './testing/peer.js';

let doors: DoorInProcess;
const open = async (parts: DoorParts = {}) => (doors = await doorInProcess(parts));
afterEach(() => doors.stop());

const text = (value: unknown) => rawFrame(1, Buffer.from(JSON.stringify(value)));

it('C2 and R2 end live conversations with 1001 when the host stops: idle ones at once, others after their answer', async () => {
  const { agent, began, letGo } = heldAgent();
  await open({ agent });
  const [idle, busy] = [await Peer.open(doors.url), await Peer.open(doors.url)];
  busy.say({ id: 1, input: 'last' });
  await once(began, 'turn');
  doors.closing.reason = failure('ERR_HOST_CLOSED', 'closing');
  let isDrained!: () => void;
  const closed = doors.conversations.close(new Promise<void>((resolve) => (isDrained = resolve)));
  expect((await idle.closed).code).toBe(1001);
  busy.say({ id: 2, input: 'too late' });
  expect(await busy.terminal(2)).toMatchObject({ data: { code: 'ERR_HOST_CLOSED' } });
  letGo();
  expect((await busy.closed).code).toBe(1001);
  expect(busy.frames.at(-1)).toEqual({ id: 1, event: 'complete', data: { output: 'last' } });
  expect(doors.counts.filter((reason) => reason === 'closing')).toHaveLength(1);
  isDrained();
  await closed;
});

it('R2 waits for no peer that does not say goodbye', async () => {
  await open({ bounds: { closeWithinMs: 60_000 } });
  const client = connect(doors.port, '127.0.0.1', () => client.write(handshake(doors.port)));
  await once(client, 'data');
  const gone = once(client, 'close');
  await doors.conversations.close(undefined);
  await gone;
});

it('C4 ends the conversation when its credential expires, and aborts its turn', async () => {
  const { agent, ran, began } = heldAgent();
  await open({
    agent,
    verifier: verifierOf({ short: { principal: ann, expiresAt: Date.now() + 400 }, over: { principal: ann, expiresAt: 1 } }),
  });
  const as = (token: string) => Peer.open(doors.url, { headers: { authorization: `Bearer ${token}` } });
  const peer = await as('short');
  peer.say({ id: 1, input: 'x' });
  await once(began, 'turn');
  expect((await peer.closed).code).toBe(1008);
  expect(ran).toEqual(['x: aborted']);
  expect((await (await as('over')).closed).code).toBe(1008);
});

it('C4 judges each frame by the credential of the handshake, and ends the conversation with the first that is refused', async () => {
  const tokens: Record<string, { principal: typeof ann }> = { good: { principal: ann } };
  await open({ verifier: verifierOf(tokens) });
  const peer = await Peer.open(doors.url, { headers: { authorization: 'Bearer good' } });
  peer.say({ id: 1, input: 'x' });
  expect((await peer.terminal(1)).event).toBe('complete');
  delete tokens.good;
  peer.say({ id: 2, input: 'x' });
  expect(await peer.terminal(2)).toMatchObject({ event: 'error', data: { code: 'ERR_IDENTITY_NOT_VERIFIED' } });
  expect((await peer.closed).code).toBe(1008);
  expect(doors.entries.map(({ door, outcome }) => [door, outcome])).toEqual([
    ['turn', 'served'],
    ['turn', 'identity-refused'],
  ]);
});

it('C4 ends every conversation of a person whose credentials were revoked, and no other', async () => {
  await open({ verifier: verifierOf({ ann: { principal: ann }, bob: { principal: bob } }) });
  const as = (token: string) => Peer.open(doors.url, { headers: { authorization: `Bearer ${token}` } });
  const [first, second, other] = [await as('ann'), await as('ann'), await as('bob')];
  doors.conversations.revoked(doors.references.userRef(ann));
  expect([(await first.closed).code, (await second.closed).code]).toEqual([1008, 1008]);
  other.say({ id: 1, op: 'session-list' });
  expect((await other.terminal(1)).event).toBe('sessions');
});

it('C5 keeps a peer that answers pings, and drops one that misses two', async () => {
  await open({ bounds: { pingEveryMs: 40 } });
  const peer = await Peer.open(doors.url);
  let pings = 0;
  peer.socket.on('ping', () => pings++);
  const silent = await exchange(doors.port, handshake(doors.port));
  // What it was sent after the 101: two pings without anything in them, and no goodbye.
  expect(silent.slice(silent.indexOf('\r\n\r\n') + 4)).toBe('\x89\x00\x89\x00');
  expect([pings >= 2, peer.socket.readyState]).toEqual([true, peer.socket.OPEN]);
});

it.each(['abort', 'continue'] as const)('C5 and D24 %s the turn of a peer that is gone', async (onHangup) => {
  const { agent, ran, began, letGo } = heldAgent();
  await open({ agent, onHangup, bounds: { pingEveryMs: 40 } });
  const ended = exchange(doors.port, Buffer.concat([Buffer.from(handshake(doors.port)), text({ id: 1, input: 'x' })]));
  await once(began, 'turn');
  await ended;
  if (onHangup === 'abort' && ran.length === 0) await once(began, 'end');
  if (onHangup === 'continue') letGo();
  while (doors.entries.length === 0) await new Promise(setImmediate);
  expect(ran).toEqual([onHangup === 'abort' ? 'x: aborted' : 'x: done']);
  expect(doors.entries).toMatchObject([{ door: 'turn', outcome: onHangup === 'abort' ? 'failed' : 'served' }]);
});

it('C5 ends a conversation whose peer does not read: 1013 past the bound of unsent output, and its turn is aborted', async () => {
  let pieces = 0;
  const agent: TestAgent = async (_input, piece, signal) => {
    const chunk = 'a'.repeat(256 * 1024);
    for (; !signal.aborted; pieces++) {
      piece(chunk);
      await new Promise(setImmediate);
    }
    throw signal.reason;
  };
  await open({ agent });
  const peer = await Peer.open(doors.url);
  peer.socket.pause();
  peer.say({ id: 1, input: 'talk' });
  while (doors.entries.length === 0) await new Promise(setImmediate);
  expect(doors.entries).toMatchObject([{ outcome: 'failed' }]);
  peer.socket.resume();
  expect((await peer.closed).code).toBe(1013);
  expect(pieces).toBeLessThan(200);
});

it('C5 ends a conversation whose peer reads nothing more, also when nothing more is said: 1013', async () => {
  const { agent, began } = heldAgent();
  await open({ agent: (_input, piece, signal) => agent('a'.repeat(16 * 1024 * 1024), piece, signal), bounds: { pingEveryMs: 40 } });
  const peer = await Peer.open(doors.url);
  peer.socket.pause();
  peer.say({ id: 1, input: 'talk' });
  await once(began, 'end');
  peer.socket.resume();
  expect((await peer.closed).code).toBe(1013);
});

it('C3 and C5 work on so many requests at once, read no more and miss no pongs meanwhile, then answer them all in order', async () => {
  const asked: (() => void)[] = [];
  let most = 0;
  await open({
    bounds: { maxRequests: 2, pingEveryMs: 40 },
    verifier: verifierOf({ t: { principal: ann } }),
    list: async () => {
      await new Promise<void>((resolve) => (most = Math.max(most, asked.push(resolve))));
      return { kind: 'sessions', body: { sessions: [] } };
    },
  });
  const upgraded = once(doors.server, 'upgrade') as Promise<[unknown, Socket]>;
  const peer = await Peer.open(doors.url, { headers: { authorization: 'Bearer t' } });
  const [, socket] = await upgraded;
  const ids = Array.from({ length: 40 }, (_, id) => id);
  const padding = 'a'.repeat(500_000);
  for (const id of ids) peer.say({ id, op: 'session-list', padding });
  await sleep(400);
  expect(socket.bytesRead).toBeLessThan(3_000_000);
  for (const id of ids) {
    while (asked.length === 0) await new Promise(setImmediate);
    asked.shift()!();
    await peer.terminal(id);
  }
  expect([most, peer.frames.map(({ id }) => id)]).toEqual([2, ids]);
});
