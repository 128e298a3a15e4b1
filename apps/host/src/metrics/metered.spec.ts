import { topics } from '@doorledger/contracts';
import type { IngressEntry } from '@doorledger/doors';
import type { PreparedCall } from '@doorledger/mcp';
import { Metrics } from '@doorledger/observability';
import { doorMetrics } from './door-metrics.js';
import { meteredAppends, meteredServers } from './metered.js';

const PERSON = 'u-hunter2';
const entry = (fields: Partial<IngressEntry>): IngressEntry => ({
  at: 1,
  door: 'turn',
  outcome: 'served',
  bearerPresent: true,
  durationMs: 40,
  sessionRef: PERSON,
  userRef: PERSON,
  ...fields,
});
const ours = async (metrics: Metrics) => (await metrics.text()).split('\n').filter((line) => line.startsWith('doorledger_'));

it('P8 counts what the doors answered by door and outcome, refusals by cause, and what is no record by why', async () => {
  const metrics = new Metrics();
  const { onFiled, onCounted } = doorMetrics(metrics);
  onFiled(entry({ turnId: PERSON }));
  onFiled(entry({ outcome: 'identity-refused', errorCode: 'ERR_IDENTITY_NOT_VERIFIED', identityFailure: 'expired' }));
  onFiled(entry({ outcome: 'refused', errorCode: 'ERR_INVALID_RUN_INPUT' }));
  onFiled(entry({ outcome: 'failed', errorCode: `ERR_${PERSON}`, errorName: PERSON }));
  onCounted('unrouted');
  const lines = await ours(metrics);
  expect(lines).toEqual(
    expect.arrayContaining([
      'doorledger_requests_total{door="turn",outcome="served"} 1',
      'doorledger_requests_total{door="turn",outcome="failed"} 1',
      'doorledger_refusals_total{outcome="identity-refused",cause="expired"} 1',
      'doorledger_refusals_total{outcome="refused",cause="ERR_INVALID_RUN_INPUT"} 1',
      'doorledger_refusals_total{outcome="failed",cause="uncoded"} 1',
      'doorledger_requests_counted_total{reason="unrouted"} 1',
      'doorledger_turn_duration_seconds_count{outcome="served"} 1',
    ]),
  );
  expect(lines.join()).not.toContain(PERSON);
});

it('P8 times appends, and counts by code those that the log did not confirm', async () => {
  const metrics = new Metrics();
  const { name } = topics.session;
  let fails = false;
  const log = meteredAppends(
    {
      ends: async () => [],
      append: async () => {
        if (fails) throw Object.assign(new Error(PERSON), { code: 'ERR_DISK_FULL' });
        return [];
      },
    },
    metrics,
  );
  await log.append(name, []);
  fails = true;
  await expect(log.append(name, [])).rejects.toMatchObject({ code: 'ERR_DISK_FULL' });
  const lines = await ours(metrics);
  expect(lines).toContain(`doorledger_log_append_failures_total{topic="${name}",code="ERR_DISK_FULL"} 1`);
  expect(lines).toContain(`doorledger_log_append_duration_seconds_count{topic="${name}"} 1`);
});

it('P8 times tool calls by server and outcome', async () => {
  const metrics = new Metrics();
  const prepared: PreparedCall = {
    toolHash: 'h',
    send: async () => ({ outcome: 'unknown', errorClass: 'ERR_TOOL_CALL_TIMEOUT', durationMs: 1500 }),
    release: () => {},
  };
  const servers = meteredServers({ tools: () => [], prepare: async () => prepared }, metrics);
  const context = { turnId: PERSON, runId: PERSON, callId: PERSON };
  const call = await servers.prepare(context, 'mail', 'send');
  expect(await call.send({}, { signal: new AbortController().signal })).toMatchObject({ outcome: 'unknown' });
  const lines = await ours(metrics);
  expect(lines).toContain('doorledger_tool_call_duration_seconds_sum{server="mail",outcome="unknown"} 1.5');
  expect(lines.join()).not.toContain(PERSON);
});
