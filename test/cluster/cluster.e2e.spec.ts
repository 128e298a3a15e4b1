import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { brokersOfAway } from '../faults/brokers-away.js';
import { type Cluster, startCluster } from './cluster.mjs';

const isThere = existsSync('.cache/kafka') || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: the cluster needs Kafka. Run "node scripts/setup.mjs kafka" first.');

/** A member that is not heard of for so long is none any more. */
const SESSION_MS = 6000;
/** Of a projector with nothing to finish, on a busy machine. */
const CLOSES_WITHIN_MS = 4000;
const SESSIONS = Array.from({ length: 12 }, (_, i) => `session-${i}`);

let cluster: Cluster;
const words = new Map<string, string>();

interface Turn {
  readonly status: number;
  readonly at: string;
}

async function turn(host: number, sessionId?: string): Promise<Turn> {
  const response = await fetch(`${cluster.hosts[host % cluster.hosts.length]!.url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'hello', sessionId }),
  });
  await response.arrayBuffer();
  return { status: response.status, at: response.headers.get('x-doorledger-position')! };
}

/** One turn of each session, over all hosts: where each ended. */
async function everySession(): Promise<string[]> {
  const turns = await Promise.all(SESSIONS.map((id, i) => turn(i, id)));
  expect(turns.map(({ status }) => status)).toEqual(SESSIONS.map(() => 200));
  return turns.map(({ at }) => at);
}

async function get(projector: number, path: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(cluster.projectors[projector]!.url + path);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The timeline once the ledger has come to `at`: a projector says no after 2 s, and then again. */
async function timeline(projector: number, id: string, at: string): Promise<Record<string, unknown>[]> {
  for (;;) {
    const { status, body } = await get(projector, `/v1/sessions/${id}/timeline?limit=100&at=${at}`);
    if (status === 200) return body.items as Record<string, unknown>[];
    expect([status, body.code]).toEqual([503, 'ERR_LEDGER_BEHIND']);
  }
}

async function everyTimeline(projector: number, positions: readonly string[]): Promise<unknown[]> {
  return Promise.all(SESSIONS.map((id, i) => timeline(projector, id, positions[i]!)));
}

/** The last words of a command on stdout, as JSON. */
async function run(...args: string[]): Promise<Record<string, unknown>> {
  const child = cluster.run(args);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  return JSON.parse(text) as Record<string, unknown>;
}

/** How many partitions each member of the projectors' group has, as the broker says. */
async function shares(): Promise<number[]> {
  const admin = new kafkajs.Kafka({ brokers: cluster.kafka.bootstrap, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  const { groups: all } = await admin.listGroups();
  const projectors = all.map(({ groupId }) => groupId).filter((id) => id.startsWith('doorledger-local-projector-'));
  const { groups } = await admin.describeGroups(projectors).finally(() => admin.disconnect());
  return groups[0]!.members.map(({ memberAssignment }) => {
    const { assignment = {} } = kafkajs.AssignerProtocol.MemberAssignment.decode(memberAssignment) ?? {};
    return Object.values(assignment).flat().length;
  });
}

async function said(name: string, what: RegExp): Promise<void> {
  while (!what.test(words.get(name) ?? '')) await sleep(50);
}

(isThere ? describe : describe.skip)('three hosts and two projectors on Kafka and PostgreSQL', () => {
  jest.setTimeout(120_000);
  beforeAll(async () => {
    cluster = await startCluster({ brokers: 1, say: (name, text) => words.set(name, (words.get(name) ?? '') + text) });
  });
  afterAll(() => cluster?.stop());

  it('L5 and L9 serve the turns of one session through every host in turn, one after the other', async () => {
    let at = '';
    for (let i = 0; i < 9; i++) {
      const { status, at: next } = await turn(i, 'one');
      expect(status).toBe(200);
      at = next;
    }
    const facts = await timeline(0, 'one', at);
    expect(facts.map(({ type, verdict }) => [type, verdict])).toEqual(
      Array.from({ length: 9 }, () => ['turn.claimed', 'turn.stepped', 'turn.completed'].map((type) => [type, 'stands'])).flat(),
    );
    expect(new Set(facts.flatMap(({ data }) => (data as { hostId?: string }).hostId ?? []))).toEqual(
      new Set(cluster.hosts.map(({ name }) => name)),
    );
  });

  it('K11 and P3 have both projectors answer the same, with what the caller has just written, though each folds half of it', async () => {
    expect(await shares()).toEqual([expect.any(Number), expect.any(Number)]);
    for (const share of await shares()) expect(share).toBeGreaterThan(60);
    const positions = await everySession();
    const [first, second] = [await everyTimeline(0, positions), await everyTimeline(1, positions)];
    expect(first).toEqual(second);
    for (const projector of [0, 1]) {
      for (let lag: unknown = 1; lag !== 0;) lag = (await get(projector, '/v1/log')).body.lag;
      expect((await get(projector, '/ready')).status).toBe(200);
    }
  });

  it('K11 has a projector that was stopped past its session say so, lose nothing and hold nothing up, and go on as a member', async () => {
    cluster.pause('projector-1');
    const stoppedAt = performance.now();
    const during = await everySession();
    await everyTimeline(1, during);
    while (performance.now() - stoppedAt < SESSION_MS + 1000) await everyTimeline(1, await everySession());
    cluster.resume('projector-1');
    await said('projector-1', /not heard of for longer than its session/);
    await everyTimeline(0, await everySession());
  });

  it('K11 has the other projector go on when one is killed, and X0 replay gives the digest of what both have folded', async () => {
    await cluster.kill('projector-2');
    await everyTimeline(0, await everySession());
    cluster.start('projector-2');
    await cluster.ready('projector-2');
    await everyTimeline(1, await everySession());
    expect(await run('replay')).toMatchObject({ isEqual: true });
  });

  it('X4 and L9 take a rebuilt generation into use in every projector and host while turns go on', async () => {
    const stop = new AbortController();
    const going = (async () => {
      for (; !stop.signal.aborted; await sleep(200)) await everySession();
    })();
    const { rebuilt } = (await run('replay', '--switch')) as { rebuilt: { generation: number } };
    for (const projector of [0, 1]) while ((await get(projector, '/v1/log')).body.generation !== rebuilt.generation) await sleep(50);
    stop.abort();
    await going;
    const positions = await everySession();
    expect(await everyTimeline(0, positions)).toEqual(await everyTimeline(1, positions));
    expect(await run('replay')).toMatchObject({ isEqual: true, live: { generation: rebuilt.generation } });
  });

  it('K15 and E7 hosts say that the brokers hang, tell every caller, and are well again without a restart', async () => {
    expect((await brokersOfAway(cluster, { awayMs: 14_000 })).violations).toEqual([]);
  });

  it('K11 and R2 end every process cleanly, one projector handing its partitions over at once', async () => {
    expect(await cluster.end('projector-1')).toBe(0);
    await everyTimeline(1, await everySession());
    expect(await Promise.all([...cluster.hosts, cluster.projectors[1]!].map(({ name }) => cluster.end(name)))).toEqual([0, 0, 0, 0]);
  });
  it('K15 has a host and a projector wait, saying for what, and come up by themselves when broker and database do', async () => {
    await Promise.all([cluster.kafka.kill(1), cluster.postgres.kill()]);
    const [host, projector] = [cluster.hosts[0]!, cluster.projectors[0]!];
    for (const { name, url } of [host, projector]) {
      cluster.start(name);
      for (let told = ''; !told.includes('Waiting for Kafka');) {
        const ready = await fetch(`${url}/ready`).catch(() => undefined);
        if (ready) expect(ready.status).toBe(503);
        told = (await ready?.text()) ?? '';
      }
      expect((await fetch(`${url}/health`)).status).toBe(200);
    }
    expect((await turn(0, 'early')).status).toBe(503);
    await cluster.kafka.restart(1);
    await said(host.name, /The database does not answer/);
    await cluster.postgres.restart();
    for (const { name } of [host, projector]) await cluster.ready(name);
    const { status, at } = await turn(0, 'late');
    expect([status, (await timeline(0, 'late', at)).length]).toEqual([200, 3]);
  });

  it('R2 ends a projector in time while the database is away, of which it has told once', async () => {
    const { name } = cluster.projectors[0]!;
    expect((await turn(0)).status).toBe(200);
    await cluster.postgres.kill();
    expect((await turn(0)).status).toBe(200);
    await said(name, /ledger does not answer/);
    await sleep(1000);
    const stoppedAt = performance.now();
    expect(await cluster.end(name)).toBe(0);
    expect(performance.now() - stoppedAt).toBeLessThan(CLOSES_WITHIN_MS);
    expect(words.get(name)!.match(/ledger does not answer/g)).toHaveLength(1);
    await cluster.postgres.restart();
  });
});
