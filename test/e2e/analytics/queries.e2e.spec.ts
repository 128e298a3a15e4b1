import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Census, ConsentItem, ToolCallItem, ToolSessionItem } from '@doorledger/ledger';
import { ConsentWorld, call } from '../consent/consent-world.js';
import { run } from '../data-folder.js';

jest.setTimeout(180_000);
const QUERIES = join(process.cwd(), 'docs/analytics/queries');
const DEPLOY = {
  name: 'deploy',
  command: [process.execPath, join(process.cwd(), 'examples/demo-server.mjs'), 'deploy'],
  scope: 'run',
  tools: { release: { timeoutMs: 700, gate: { kind: 'checkIn' } } },
};

let world: ConsentWorld;
let facts: string;
beforeAll(async () => {
  facts = join(mkdtempSync(join(tmpdir(), 'doorledger-analytics-')), 'facts');
  world = await ConsentWorld.start({
    gates: { gate: {}, free: undefined, boss: { deciders: 'role', roles: ['approver'] } },
    servers: [DEPLOY],
  });
  await traffic();
  await world.served.stop();
  const exported = await run(['export', '--format', 'parquet', '--data', world.data, '--out', facts]);
  expect([exported.code, exported.stderr]).toEqual([0, expect.stringMatching(/^Wrote \d+ facts into 42 files\.$/m) as string]);
  await world.up();
});
afterAll(async () => {
  await world.stop();
  rmSync(join(facts, '..'), { recursive: true, force: true });
});

/** Approvals, declines, a close, a grant, a call that nobody answers, reuse, and refusals at the door. */
async function traffic(): Promise<void> {
  const answered = async (session: string, server: string, approved: boolean, by?: string) => {
    const { requestId } = await world.paused('ann', session, server, { note: session });
    await sleep(60);
    if (by) await world.vote(by, requestId, approved);
    else await world.decide('ann', session, { requestId, approved });
  };
  await answered('a1', 'gate', true);
  await answered('a2', 'gate', false);
  await answered('a1', 'gate', true);
  await answered('b1', 'boss', true, 'carl as approver');
  await answered('b2', 'boss', false, 'dora as approver');
  await answered('b3', 'boss', false, 'dora as approver');
  const taken = await world.paused('ann', 'c1', 'gate', { note: 'c1' });
  await world.post('ann', `/v1/consents/${taken.requestId}/close`, {});
  const again = await world.paused('ann', 'g1', 'gate', { note: 'g1' });
  await world.post('ann', '/v1/grants', { requestId: again.requestId, count: 1 });
  await world.decide('ann', 'g1', { requestId: again.requestId, approved: true });
  await world.say('ann', 'g1', call('gate', { note: 'g1' }));
  const lost = await world.say('ann', 'u1', '/call deploy.release {"service": "search", "version": "1"}');
  await world.decide('ann', 'u1', { requestId: (lost.body.awaiting as { requestId: string }).requestId, approved: true });
  for (let n = 0; n < 3; n++) await world.say('ann', 'r1', call('free', { note: `r${n}` }));
  await world.say('ann', 'r1', '/call deploy.status {"service": "checkout"}');
  await world.say('bob', 'r1', 'Whose is this?');
  await world.say('ann', 'r1', '');
  const headers = { 'content-type': 'application/json' };
  for (const [path, body] of [
    ['/invoke', '{"half'],
    ['/invoke', '{"input":"hello"}'],
    ['/nowhere', '{}'],
  ])
    await fetch(`${world.served.url}${path}`, { method: 'POST', headers, body: body! });
  await world.paused('ann', 'w1', 'gate', { note: 'still waits' });
}

type Row = Readonly<Record<string, unknown>>;
async function answerOf(query: string): Promise<readonly Row[]> {
  const sql = readFileSync(join(QUERIES, query), 'utf8').replaceAll("'facts/", `'${facts}/`);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS();
    return rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value])),
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** What the ledger API says, which no query reads. */
async function listed<T>(path: string): Promise<readonly T[]> {
  const { status, body } = await world.get('olga as auditor', `${path}${path.includes('?') ? '&' : '?'}limit=100`);
  expect([status, body.cursor]).toEqual([200, undefined]);
  return body.items as T[];
}
const grouped = <T>(items: readonly T[], by: (item: T) => string | undefined): ReadonlyMap<string | undefined, readonly T[]> => {
  const groups = new Map<string | undefined, T[]>();
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item]);
  return groups;
};
const toolOf = ({ server, tool }: { readonly server?: string; readonly tool?: string }) => `${server}.${tool}`;
const isAnswered = ({ state, grantId }: ConsentItem) => (state === 'approved' || state === 'declined') && grantId === undefined;
const sum = (numbers: readonly (number | undefined)[]) => numbers.reduce<number>((total, n) => total + (n ?? 0), 0);

it('P2 and E12 the rate of refusals by cause is what the census counts', async () => {
  const { body } = await world.get('olga as auditor', '/v1/census?by=outcome,cause');
  const { requests, items } = body as unknown as Census;
  const refused = items.filter(({ outcome }) => outcome !== 'served');
  const rows = await answerOf('refusal-rate-by-cause.sql');
  expect(new Map(rows.map(({ cause, refused: count }) => [cause, count]))).toEqual(
    new Map(
      [...grouped(refused, ({ cause, outcome }) => cause ?? outcome)].map(([cause, all]) => [cause, sum(all.map((item) => item.requests))]),
    ),
  );
  expect(rows.map(({ cause }) => cause)).toEqual(
    expect.arrayContaining(['no-token', 'unparseable-body', 'unrouted', 'ERR_SESSION_NOT_FOUND']),
  );
  for (const { refused: count, share } of rows) expect(share).toBeCloseTo(Number(count) / requests, 12);
});

it('P2 and T40 reuse and cost of tool sessions are those of the ledger', async () => {
  const sessions = await listed<ToolSessionItem>('/v1/tool-sessions');
  const rows = await answerOf('tool-session-reuse.sql');
  expect(
    rows.map(({ server, sessions: count, reused_calls, ended, open_ms, cleanup_ms }) => ({
      server,
      count,
      reused_calls,
      ended,
      open_ms,
      cleanup_ms,
    })),
  ).toEqual(
    [...grouped(sessions, ({ server }) => server)]
      .map(([server, all]) => ({
        server,
        count: all.length,
        reused_calls: sum(all.map(({ calls }) => calls)) - all.length,
        ended: all.filter(({ state }) => state === 'ended').length,
        open_ms: sum(all.map(({ ageMs }) => ageMs)),
        cleanup_ms: sum(all.map(({ cleanupMs }) => cleanupMs)),
      }))
      .sort((a, b) => (a.server! < b.server! ? -1 : 1)),
  );
  expect(rows.find(({ server }) => server === 'free')).toMatchObject({ sessions: 1, reused_calls: 2, reuse_rate: 2 / 3 });
});

it('P2 and V5 the time to a decision is that between the two records, by the log’s clock', async () => {
  const items = (await listed<ConsentItem>('/v1/consents')).filter(isAnswered);
  const waits = (all: readonly ConsentItem[]) =>
    all.map((item) => (Date.parse(item.settledAt!) - Date.parse(item.mintedAt!)) / 1000).sort((a, b) => a - b);
  const expected = [...grouped(items, toolOf)].map(([tool, all]) => {
    const sorted = waits(all);
    const middle = (sorted.length - 1) / 2;
    return [tool, all.length, sorted[0], (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2, sorted.at(-1)];
  });
  const rows = await answerOf('time-to-decision.sql');
  const told = new Map(rows.map((row) => [toolOf(row), row]));
  expect(told.size).toBe(expected.length);
  for (const [tool, decided, shortest, median, longest] of expected) {
    const row = told.get(tool as string)!;
    expect(row.decided).toBe(decided);
    for (const [field, value] of [
      ['shortest_s', shortest],
      ['median_s', median],
      ['longest_s', longest],
    ] as const)
      expect(row[field]).toBeCloseTo(value as number, 9);
  }
  expect(told.get('gate.pay')!.shortest_s).toBeGreaterThanOrEqual(0.06);
});

it('P2 and V5 approvals by approver are those of the ledger, and uses of a grant are told apart', async () => {
  const items = (await listed<ConsentItem>('/v1/consents')).filter(({ state }) => state === 'approved' || state === 'declined');
  const rows = await answerOf('approvals-by-approver.sql');
  const count = (all: readonly ConsentItem[], state: string, isGrant: boolean) =>
    all.filter((item) => item.state === state && (item.grantId !== undefined) === isGrant).length;
  expect(new Map(rows.map(({ approver, ...counts }) => [approver ?? undefined, counts]))).toEqual(
    new Map(
      [...grouped(items, ({ settledBy }) => settledBy)].map(([who, all]) => [
        who,
        { approved: count(all, 'approved', false), declined: count(all, 'declined', false), under_grants: count(all, 'approved', true) },
      ]),
    ),
  );
  expect(rows).toHaveLength(3);
  expect(rows.map(({ under_grants }) => under_grants).sort()).toEqual([0, 0, 1]);
});

it('P2, N34 and V5 the tools most declined are those of the ledger', async () => {
  const items = (await listed<ConsentItem>('/v1/consents')).filter(isAnswered);
  const rows = await answerOf('most-declined-tools.sql');
  expect(new Map(rows.map(({ declined, answered, ...tool }) => [toolOf(tool), [declined, answered]]))).toEqual(
    new Map([...grouped(items, toolOf)].map(([tool, all]) => [tool, [all.filter(({ state }) => state === 'declined').length, all.length]])),
  );
  expect(rows[0]).toMatchObject({ server: 'boss', declined: 2, answered: 3 });
});

it('P2 and N22 the rate of unknown outcomes is that of the ledger', async () => {
  const calls = await listed<ToolCallItem>('/v1/tool-calls');
  const rows = await answerOf('outcome-unknown-rate.sql');
  expect(new Map(rows.map(({ calls: all, outcome_unknown, ...tool }) => [toolOf(tool), [outcome_unknown, all]]))).toEqual(
    new Map(
      [...grouped(calls, toolOf)].map(([tool, all]) => [
        tool,
        [all.filter(({ status }) => status === 'outcome-unknown').length, all.length],
      ]),
    ),
  );
  expect(rows[0]).toMatchObject({ server: 'deploy', tool: 'release', outcome_unknown: 1, rate: 1 });
});

it('every query is held to the ledger by a test of this file', () => {
  const spec = readFileSync(join(process.cwd(), 'test/e2e/analytics/queries.e2e.spec.ts'), 'utf8');
  expect(readdirSync(QUERIES).filter((name) => !spec.includes(`answerOf('${name}')`))).toEqual([]);
});
