import { Peer } from '../../../libs/doors/src/ws/testing/peer.js';
import { framesOf, type EventFrame } from '../../faults/event-frames.js';
import { ConsentWorld, call, type Waiting } from './consent-world.js';

jest.setTimeout(120_000);
let world: ConsentWorld;
beforeAll(async () => {
  world = await ConsentWorld.start({
    gates: { gate: {} },
    env: { DOORLEDGER_DOOR_AGENTCORE: 'true', DOORLEDGER_DOOR_COOKIE: 'true' },
  });
});
afterAll(() => world.stop());

const asked = (note: string) =>
  expect.objectContaining({ requestId: expect.stringMatching(/^[0-9a-f]{64}$/) as string, server: 'gate', args: { note } }) as Waiting;

async function framesFrom(path: string, body: object, more: object = {}): Promise<string> {
  const headers = { ...(await world.headersOf('ann')), accept: 'text/event-stream', ...more };
  return (await fetch(`${world.served.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).text();
}

it('D23 and N18 end a stream with one frame that asks, and the decision’s own with the turn’s answer', async () => {
  const invoke = async (body: object): Promise<EventFrame[]> => framesOf(await framesFrom('/invoke', { sessionId: 'sse', ...body }));
  const frames = await invoke({ input: call('gate', { note: 'sse' }) });
  expect(frames.at(-1)).toMatchObject({ event: 'awaiting', data: { awaiting: asked('sse') } });
  const { requestId } = (frames.at(-1)!.data as { awaiting: Waiting }).awaiting;
  const resumed = await invoke({ decision: { requestId, approved: true } });
  expect(resumed.at(-1)).toMatchObject({ event: 'complete', data: { output: 'paid sse' } });
  expect(resumed.map(({ event }) => event)).not.toContain('awaiting');
  const refused = await invoke({ decision: { requestId, approved: false } });
  expect(refused.at(-1)).toMatchObject({ event: 'error', data: { code: 'ERR_RESUME_REFUSED', reason: 'already-answered' } });
  expect(world.desk.times('sse')).toBe(1);
});

it('D23 and P1 refuse by a status who may not read a turn’s stream, before it begins', async () => {
  const turnId = (await world.say('ann', 'read-again', 'hello')).headers.get('x-turn-id')!;
  const open = async (authorization?: string) => {
    const headers = { accept: 'text/event-stream', ...(authorization !== undefined && { authorization }) };
    const answer = await fetch(`${world.served.url}/v1/turns/${turnId}`, { headers });
    const [type, text] = [answer.headers.get('content-type'), await answer.text()];
    return [answer.status, type, type === 'text/event-stream' ? framesOf(text).at(-1)!.event : (JSON.parse(text) as { code: string }).code];
  };
  const json = 'application/json; charset=utf-8';
  expect(await open()).toEqual([401, json, 'ERR_IDENTITY_NOT_VERIFIED']);
  expect(await open('Bearer nobody')).toEqual([401, json, 'ERR_IDENTITY_NOT_VERIFIED']);
  expect(await open((await world.headersOf('bob')).authorization)).toEqual([404, json, 'ERR_NOT_FOUND']);
  expect(await open((await world.headersOf('ann')).authorization)).toEqual([200, 'text/event-stream', 'complete']);
});

it('C3 and N18 ask and decide in a conversation', async () => {
  const { authorization } = await world.headersOf('ann');
  const peer = await Peer.open(
    new URL(world.served.url).host,
    { headers: { authorization: authorization! } },
    '/conversation?sessionId=ws',
  );
  peer.say({ id: 1, input: call('gate', { note: 'ws' }) });
  const frame = await peer.terminal(1);
  expect(frame).toEqual({ id: 1, event: 'awaiting', data: { awaiting: asked('ws') } });
  peer.say({ id: 2, decision: { approved: true } });
  expect(await peer.terminal(2)).toMatchObject({ event: 'error', data: { code: 'ERR_RESUME_REFUSED', reason: 'no-request' } });
  const { requestId } = frame.data.awaiting as Waiting;
  peer.say({ id: 3, decision: { requestId, approved: true } });
  expect(await peer.terminal(3)).toEqual({ id: 3, event: 'complete', data: { output: 'paid ws' } });
  peer.socket.close();
  expect(world.desk.times('ws')).toBe(1);
});

it('D16 and N18 ask and decide in the AgentCore dialect, as JSON and as a stream', async () => {
  const headers = { 'x-amzn-bedrock-agentcore-runtime-session-id': 'of-the-platform' };
  const first = await world.post('ann', '/invocations', { prompt: call('gate', { note: 'agentcore' }) }, { headers });
  expect([first.status, first.body]).toEqual([202, { awaiting: asked('agentcore') }]);
  const { requestId } = first.body.awaiting as Waiting;
  const end = await world.post('ann', '/invocations', { decision: { requestId, approved: true } }, { headers });
  expect([end.status, end.body]).toEqual([200, { output: 'paid agentcore' }]);
  const text = await framesFrom('/invocations', { prompt: call('gate', { note: 'streamed' }) }, headers);
  const last = text.trim().split('\n\n').at(-1)!;
  expect(JSON.parse(last.slice('data: '.length))).toEqual({ event: 'awaiting', data: { awaiting: asked('streamed') } });
  expect(['agentcore', 'streamed'].map((note) => world.desk.times(note))).toEqual([1, 0]);
});

it('N17 gives a browser a session by its cookie, so that its turns can pause', async () => {
  const first = await world.post('ann', '/invoke', { input: call('gate', { note: 'cookie' }) });
  expect([first.status, first.body]).toEqual([202, { awaiting: asked('cookie') }]);
  const [cookie] = first.headers.get('set-cookie')!.split(';');
  const { requestId } = first.body.awaiting as Waiting;
  const end = await world.post('ann', '/invoke', { decision: { requestId, approved: true } }, { headers: { cookie } });
  expect([end.status, end.body]).toEqual([200, { output: 'paid cookie' }]);
});
