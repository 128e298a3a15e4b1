import { metricDefinitions } from './definitions.js';
import { Metrics } from './metrics.js';
import { Tally } from './tally.js';

const linesOf = async (metrics: Metrics, name: string) => (await metrics.text()).split('\n').filter((line) => line.startsWith(name));

it('P8 names every metric as Prometheus does, with the prefix of the product and labels that are classes', () => {
  const bounded = ['version', 'method', 'route', 'status', 'door', 'outcome', 'cause', 'reason', 'server', 'topic', 'code', 'verdict'];
  for (const [name, { kind, labels, help }] of Object.entries(metricDefinitions)) {
    expect(name).toMatch(/^doorledger_[a-z_]+$/);
    expect([name, name.endsWith('_total')]).toEqual([name, kind === 'counter']);
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(labels.filter((label) => !bounded.includes(label))).toEqual([]);
    expect(help).toMatch(/^\S.*\.$/);
  }
});

it('P8 counts by label values and tells it in Prometheus’s text, again and again the same', async () => {
  const metrics = new Metrics();
  const requests = metrics.counter('doorledger_requests_total');
  requests.add('turn', 'served');
  requests.add('turn', 'served');
  metrics.counter('doorledger_requests_total').add('api', 'refused');
  const expected = [
    'doorledger_requests_total{door="turn",outcome="served"} 2',
    'doorledger_requests_total{door="api",outcome="refused"} 1',
  ];
  expect(await linesOf(metrics, 'doorledger_')).toEqual(expected);
  expect(await linesOf(metrics, 'doorledger_')).toEqual(expected);
  expect(await metrics.text()).toContain('# TYPE doorledger_requests_total counter');
});

it('P8 puts times into buckets of seconds', async () => {
  const metrics = new Metrics();
  metrics.observe('doorledger_turn_duration_seconds', 0.2, 'served');
  const lines = await linesOf(metrics, 'doorledger_turn_duration_seconds');
  expect(lines).toContain('doorledger_turn_duration_seconds_bucket{le="0.1",outcome="served"} 0');
  expect(lines).toContain('doorledger_turn_duration_seconds_bucket{le="0.25",outcome="served"} 1');
  expect(lines).toContain('doorledger_turn_duration_seconds_count{outcome="served"} 1');
});

it('P8 asks for gauges when it is scraped, and a part that fails or hangs costs its own series only', async () => {
  const metrics = new Metrics();
  let waiting = 3;
  metrics.gauge('doorledger_consents_waiting', () => [{ value: waiting }]);
  metrics.gauge('doorledger_ledger_quarantined_records', () => {
    throw new Error('the database is away');
  });
  metrics.gauge('doorledger_ledger_blocked_keys', () => new Promise(() => {}));
  metrics.gauge('doorledger_ledger_lag_records', async () => [{ labels: ['doorledger.session.v1'], value: 7 }]);
  expect(await linesOf(metrics, 'doorledger_')).toEqual([
    'doorledger_consents_waiting 3',
    'doorledger_ledger_lag_records{topic="doorledger.session.v1"} 7',
  ]);
  waiting = 0;
  expect(await linesOf(metrics, 'doorledger_consents')).toEqual(['doorledger_consents_waiting 0']);
});

it('P8 tells how the process fares, under the names that every Node process has', async () => {
  const text = await new Metrics().text();
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds'])
    expect(text).toMatch(new RegExp(`^${name} `, 'm'));
});

describe('a tally', () => {
  it('P8 is bounded whatever is sent: what comes past its series is counted as other, and nothing is lost', () => {
    const tally = new Tally(2);
    for (let i = 0; i < 5000; i++) tally.add(`a${i}`, `b${i}`);
    tally.add('a0', 'b0');
    const series = [...tally.series()];
    expect(series.length).toBeLessThanOrEqual(1001);
    expect(series.reduce((sum, { count }) => sum + count, 0)).toBe(5001);
    expect(series.find(({ values }) => values[0] === 'other')).toEqual({ values: ['other', 'other'], count: 4000 });
    expect(series[0]).toEqual({ values: ['a0', 'b0'], count: 2 });
  });

  it('counts without labels, and by three', () => {
    const [none, three] = [new Tally(0), new Tally(3)];
    none.add();
    none.add();
    three.add('GET', '/metrics', '200');
    expect([...none.series()]).toEqual([{ values: [], count: 2 }]);
    expect([...three.series()]).toEqual([{ values: ['GET', '/metrics', '200'], count: 1 }]);
  });
});
