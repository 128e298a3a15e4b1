import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metricDefinitions } from '@doorledger/observability';
import { serve, type Served } from '../faults/served-process.js';

let dir: string;
let served: Served;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-metrics-'));
  served = await serve(dir);
});
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

const post = (body: object) =>
  fetch(`${served.url}/invoke`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const scrape = async () => (await fetch(`${served.url}/metrics`)).text();
const value = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

it('P8 and E13 count a process’s requests, turns, appends and lags, with the classes of things as labels and nothing that names one', async () => {
  const answer = await post({ input: 'hello', sessionId: 'hunter2' });
  const turnId = answer.headers.get('x-turn-id')!;
  await post({ input: '' });
  await fetch(`${served.url}/nowhere`);
  await fetch(`${served.url}/v1/turns/${turnId}?at=${answer.headers.get('x-doorledger-position')}`);
  await fetch(`${served.url}/v1/sessions?at=${answer.headers.get('x-doorledger-position')}`);
  const text = await scrape();
  expect(value(text, 'doorledger_requests_total{door="turn",outcome="served"}')).toBe(1);
  expect(value(text, 'doorledger_refusals_total{outcome="refused",cause="ERR_INVALID_RUN_INPUT"}')).toBe(1);
  expect(value(text, 'doorledger_requests_counted_total{reason="unrouted"}')).toBe(1);
  expect(value(text, 'doorledger_turn_duration_seconds_count{outcome="served"}')).toBe(1);
  expect(value(text, 'doorledger_http_requests_total{method="GET",route="/v1/turns/:id",status="200"}')).toBe(1);
  expect(value(text, 'doorledger_http_requests_total{method="GET",route="unrouted",status="404"}')).toBe(1);
  expect(value(text, 'doorledger_http_requests_total{method="GET",route="/ready",status="200"}')).toBeGreaterThan(0);
  expect(value(text, 'doorledger_log_append_duration_seconds_count{topic="doorledger.session.v1"}')).toBeGreaterThan(0);
  expect(value(text, 'doorledger_tail_lag_records{topic="doorledger.session.v1"}')).toBe(0);
  expect(value(text, 'doorledger_ledger_lag_records{topic="doorledger.session.v1"}')).toBe(0);
  for (const still of [
    'ledger_quarantined_records',
    'ledger_blocked_keys',
    'ledger_stopped_partitions',
    'consents_waiting',
    'turns_running',
  ])
    expect([still, value(text, `doorledger_${still}`)]).toEqual([still, 0]);
  expect(value(text, 'doorledger_ready')).toBe(1);
  expect(text).not.toMatch(new RegExp(`hunter2|${turnId}`));
});

it('P8 leaves nothing out: what is defined is in the scrape of the whole product, but for what needs a tool or a failure', async () => {
  const text = await scrape();
  const missing = Object.keys(metricDefinitions).filter((name) => !text.includes(`# TYPE ${name} `));
  expect(missing).toEqual(['doorledger_tool_call_duration_seconds']);
});

it('P8 writes the trace that a request names into the facts of it, and none into those of another', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const headers = { 'content-type': 'application/json', traceparent };
  const body = JSON.stringify({ input: 'hello', sessionId: 'traced' });
  const turnId = (await fetch(`${served.url}/invoke`, { method: 'POST', headers, body })).headers.get('x-turn-id');
  await post({ input: 'hello', sessionId: 'untraced' });
  const reading = new AbortController();
  const stream = await fetch(`${served.url}/v1/stream?from=start&type=turn.*,ingress.recorded`, { signal: reading.signal });
  const traces: unknown[] = [];
  let text = '';
  for await (const chunk of stream.body!) {
    text += Buffer.from(chunk).toString();
    const facts = [...text.matchAll(/^data: (.*)$\n\n/gm)].map(([, data]) => (JSON.parse(data!) as { event: FactSeen }).event);
    traces.splice(0, traces.length, ...facts.filter(({ data }) => data.turnId === turnId).map((fact) => [fact.type, fact.traceparent]));
    const others = facts.filter(({ data }) => data.turnId !== turnId);
    if (traces.length < 4 || others.length < 4) continue;
    expect(others.filter((fact) => fact.traceparent !== undefined)).toEqual([]);
    break;
  }
  reading.abort();
  expect(traces.sort()).toEqual(['ingress.recorded', 'turn.claimed', 'turn.completed', 'turn.stepped'].map((type) => [type, traceparent]));
});

interface FactSeen {
  readonly type: string;
  readonly traceparent?: string;
  readonly data: { readonly turnId?: string };
}

it('P8 tells it to this machine alone, and not through a proxy', async () => {
  const proxied = await fetch(`${served.url}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect(proxied.status).toBe(403);
  expect(await proxied.json()).toEqual({ code: 'ERR_SCRAPE_NOT_ALLOWED', error: expect.stringContaining('metrics.from') as string });
  expect((await fetch(`${served.url}/metrics`)).headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
});
