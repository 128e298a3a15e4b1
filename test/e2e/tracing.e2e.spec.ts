import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConsentWorld, call } from './consent/consent-world.js';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly status: { readonly code?: number };
}

const TRACE = 'a'.repeat(32);
const CALLER = 'b'.repeat(16);
const CANARY = 'canary-of-a-person';

/** What a collector was sent, as OTLP's JSON says it. */
let collector: Server;
let bodies: string[] = [];
let world: ConsentWorld;
beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  world = await ConsentWorld.start({ gates: { free: undefined }, env: { DOORLEDGER_TRACING_URL: url, OTEL_BSP_SCHEDULE_DELAY: '100' } });
});
afterAll(async () => {
  await world.stop();
  collector.close();
});

const spans = (): Span[] =>
  bodies.flatMap((body) =>
    (JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  );

async function untilSpans(are: (all: Span[]) => boolean): Promise<Span[]> {
  while (!are(spans())) await sleep(50);
  return spans();
}

const attribute = ({ attributes }: Span, key: string) => attributes.find((one) => one.key === key)?.value.stringValue;

it('P8 exports a request, its turn and each tool call as spans of the caller’s trace, each under the one before', async () => {
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01` };
  const answer = await world.post('ann', '/invoke', { sessionId: CANARY, input: call('free', { note: CANARY }) }, { headers });
  expect(answer.status).toBe(200);
  const all = await untilSpans((seen) => seen.some(({ name }) => name === 'POST /invoke'));
  const [request, turn, tool] = ['POST /invoke', 'turn', 'execute_tool '].map((name) => all.find((span) => span.name.startsWith(name))!);
  expect([request, turn, tool].map((span) => [span!.traceId, span!.parentSpanId])).toEqual([
    [TRACE, CALLER],
    [TRACE, request!.spanId],
    [TRACE, turn!.spanId],
  ]);
  expect(attribute(turn!, 'doorledger.turn.id')).toBe(answer.headers.get('x-turn-id'));
  expect(attribute(tool!, 'doorledger.outcome')).toBe('ok');
});

it('P8 exports nothing of a trace that its caller does not sample, and begins one where nobody named any', async () => {
  bodies = [];
  const unsampled = { traceparent: `00-${'c'.repeat(32)}-${CALLER}-00` };
  await world.post('ann', '/invoke', { input: 'hello' }, { headers: unsampled });
  await world.post('ann', '/invoke', { input: 'hello' });
  const all = await untilSpans((seen) => seen.some(({ name }) => name === 'POST /invoke'));
  expect(all.filter(({ traceId }) => traceId === 'c'.repeat(32))).toEqual([]);
  const [request, turn] = ['POST /invoke', 'turn'].map((name) => all.find((span) => span.name === name)!);
  expect([request!.parentSpanId ?? '', turn!.parentSpanId]).toEqual(['', request!.spanId]);
});

it('P8 tells a collector no text, argument, session, person or token', async () => {
  const token = (await world.headersOf('ann')).authorization!.slice('Bearer '.length, 60);
  expect(bodies.join('')).not.toContain(CANARY);
  expect(bodies.join('')).not.toContain(token);
  expect(bodies.join('')).not.toMatch(/hello|"ann"/);
});

it('P8 serves as ever while the collector is away', async () => {
  collector.close();
  collector.closeAllConnections();
  for (let n = 0; n < 3; n++) expect((await world.say('ann', 'away', 'hello')).status).toBe(200);
  expect(world.served.words()).not.toMatch(/warn|error|4318/i);
});
