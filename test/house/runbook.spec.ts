import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metricDefinitions } from '@doorledger/observability';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(join(__dirname, '../..', path), 'utf8');
const runbook = read('docs/runbook.md');
const headings = [...runbook.matchAll(/^### (.+)$/gm)].flatMap(([, names]) => names!.split(', '));

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}
const alerts = (parse(read('ops/prometheus-rules.yml')) as Rules).groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(read('ops/grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
const expressions = [...alerts, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);

/** The metrics that an expression names and that nobody defines; labels that its metric does not have. */
function strays(expr: string): string[] {
  const names = [...expr.matchAll(/\bdoorledger_[a-z_]+/g)].map(([name]) => name);
  const known = Object.entries<{ kind: string; labels: readonly string[] }>(metricDefinitions);
  const found = names.map((name) =>
    known.find(([metric, { kind }]) => name === metric || (kind === 'histogram' && isPartOf(name, metric))),
  );
  const unknown = names.filter((_, i) => !found[i]);
  const labels = new Set(['le', 'instance', 'job', ...found.flatMap((one) => one?.[1].labels ?? [])]);
  const asked = [...expr.matchAll(/(?:by|on|group_left) \(([^)]*)\)|\{([^}]*)\}/g)].flatMap(([, by, where]) =>
    by !== undefined ? by.split(', ') : where!.split(',').map((one) => one.split(/[=!]/)[0]!),
  );
  return [...unknown, ...asked.filter((label) => !labels.has(label))];
}
const isPartOf = (name: string, histogram: string) => ['_bucket', '_sum', '_count'].some((part) => name === histogram + part);

it('P8 has dashboards and alerts on metrics and labels that there are', () => {
  expect(expressions.length).toBeGreaterThan(25);
  expect(expressions.flatMap(strays)).toEqual([]);
});

it('P8 reports a metric and a label that there are not', () => {
  expect(strays('rate(doorledger_requests[5m])')).toEqual(['doorledger_requests']);
  expect(strays('sum by (user) (doorledger_requests_total{session="x"})')).toEqual(['user', 'session']);
});

it('has a section in the runbook for every alert, and none for an alert that is gone', () => {
  const names = alerts.map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
  expect(headings.filter((name) => name.startsWith('Doorledger')).sort()).toEqual(names.sort());
});

it('has a section in the runbook for every refusal of a start that operating.md explains', () => {
  const page = read('docs/operating.md');
  const refusals = page.slice(page.indexOf('### Settings and keys'), page.indexOf('### While it runs'));
  // The first column: another code in a sentence is explained in a row of its own.
  const codes = [...refusals.matchAll(/^\| (`ERR_[^|]+) \|/gm)].flatMap(([, cell]) => cell!.match(/ERR_[A-Z_]+/g)!);
  expect(codes.length).toBeGreaterThan(45);
  expect([...new Set(codes)].filter((code) => !headings.includes(code)).sort()).toEqual([]);
});

it('has no section in the runbook for a code that operating.md does not explain', () => {
  const operating = read('docs/operating.md');
  expect(headings.filter((name) => name.startsWith('ERR_') && !operating.includes(`\`${name}\``))).toEqual([]);
});
