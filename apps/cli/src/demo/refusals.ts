import { must, type DemoRequest } from './demo-door.js';
import type { Scene } from './scene.js';

const MIB = 1024 * 1024;
const json = { 'content-type': 'application/json' };
const invoke = (body: string | undefined, headers: Readonly<Record<string, string>> = json): DemoRequest => ({
  method: 'POST',
  path: '/invoke',
  headers,
  ...(body !== undefined && { body }),
});
const asking = (fields: object): DemoRequest => invoke(JSON.stringify(fields));

/** Requests that a door refuses, each for a cause of its own, and the status of the refusal. */
const refused: readonly (readonly [status: number, request: DemoRequest])[] = [
  [400, invoke(undefined)],
  [400, invoke('{"input": "half a')],
  [400, asking({ input: '' })],
  [400, asking({ input: 'hello', sessionId: 'no spaces' })],
  [400, asking({ op: 'session-rename', sessionId: 'ann-orders' })],
  [400, invoke(JSON.stringify({ input: 'hello' }), { ...json, 'idempotency-key': 'nobody asks' })],
  [403, invoke(JSON.stringify({ input: 'hello' }), { ...json, origin: 'https://elsewhere.example' })],
  [404, { path: '/invoice' }],
  [404, { method: 'POST', path: '/v1/everything', headers: json, body: '{}' }],
  [409, asking({ decision: { approved: true }, sessionId: 'nothing-waits-here' })],
  [413, invoke(JSON.stringify({ input: 'x'.repeat(MIB) }))],
  [415, invoke('input=hello', { 'content-type': 'application/x-www-form-urlencoded' })],
  [421, invoke(JSON.stringify({ input: 'hello' }), { ...json, host: 'doors.example' })],
  [501, asking({ op: 'session-list' })],
];

/** A second message while the first one's tool is still at work. */
const busy: Scene = async ({ door, named }) => {
  const session = named('dan-busy');
  const line = '/call deploy.status {"service": "checkout"}';
  const [first, second] = await Promise.all([door.say(session, line, [200, 409]), door.say(session, line, [200, 409])]);
  must(first.status === 409 ? first : second, [409]);
};

export const refusals: readonly Scene[] = [
  ...refused.map(
    ([status, request]): Scene =>
      async ({ door }) =>
        void must(await door.send(request), [status]),
  ),
  busy,
];
