import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { topics } from '@doorledger/contracts';
import kafkajs from 'kafkajs';
import { Receiver } from '../../libs/webhooks/src/testing/receiver.js';
import { runCli } from '../faults/served-process.js';
import { ToolDesk } from '../e2e/consent/tool-desk.js';
import { type Cluster, startCluster } from './cluster.mjs';

const isThere = existsSync('.cache/kafka') || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: the cluster needs Kafka. Run "node scripts/setup.mjs kafka" first.');

const NEW_KEY = randomBytes(32).toString('base64');

let dir: string;
let cluster: Cluster;
let desk: ToolDesk;
let receiver: Receiver;
/** When there were requests on the log. */
let oldAt: number;

type Body = Readonly<Record<string, unknown>>;

async function ask(url: string, path: string, body?: object): Promise<{ status: number; turnId: string; body: Body }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : {});
  return { status: response.status, turnId: response.headers.get('x-turn-id')!, body: (await response.json()) as Body };
}
const invoke = (host: number, body: object) => ask(cluster.hosts[host]!.url, '/invoke', body);
const say = (host: number, sessionId: string, input: string) => invoke(host, { sessionId, input });

async function command(args: readonly string[]) {
  const { code, stdout, stderr } = await runCli(args, { ...cluster.env, DOORLEDGER_DATA: join(dir, 'operator') });
  return { code, stderr, said: stdout === '' ? {} : (JSON.parse(stdout) as Body) };
}

/** A call that waits for a person: its request. */
async function waiting(note: string): Promise<string> {
  const { status, body } = await say(0, note, `/call asked.pay ${JSON.stringify({ note })}`);
  expect(status).toBe(202);
  return (body.awaiting as { requestId: string }).requestId;
}

/** The answer of a turn that is over, as a host reads it from what is sealed. */
async function answered(host: number, turnId: string): Promise<unknown> {
  for (;;) {
    const { status, body } = await ask(cluster.hosts[host]!.url, `/v1/turns/${turnId}`);
    if (status === 200) return body.output;
    expect(body.code).toBe('ERR_LEDGER_BEHIND');
  }
}

/** Hosts anew with these wrapping keys: a projector needs none. */
async function restartWith(keys: string): Promise<void> {
  Object.assign(cluster.env, { DOORLEDGER_WRAPPING_KEYS: keys });
  await Promise.all(
    cluster.hosts.map(async ({ name }) => {
      expect(await cluster.end(name)).toBe(0);
      cluster.start(name);
      await cluster.ready(name);
    }),
  );
}

async function withKafka(work: (admin: ReturnType<kafkajs.Kafka['admin']>) => Promise<unknown>): Promise<void> {
  const admin = new kafkajs.Kafka({ brokers: cluster.kafka.bootstrap, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  await work(admin).finally(() => admin.disconnect());
}

(isThere ? describe : describe.skip)('what operators keep of a cluster', () => {
  jest.setTimeout(240_000);
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'doorledger-keeping-'));
    [desk, receiver] = [await ToolDesk.start(), await Receiver.start()];
    cluster = await startCluster({
      ...{ brokers: 1, hosts: 2, projectors: 2 },
      settings: {
        HOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
        DOORLEDGER_TOOLS_SERVERS: JSON.stringify([
          { name: 'asked', url: desk.url, scope: 'session', tools: { pay: { gate: { kind: 'checkIn' } } } },
        ]),
        DOORLEDGER_WEBHOOKS_ENDPOINTS: JSON.stringify([{ name: 'desk', url: receiver.url, secrets: ['${env:HOOK_SECRET}'] }]),
        DOORLEDGER_WEBHOOKS_TIMEOUT_MS: '3000',
        DOORLEDGER_WRAPPING_KEYS: `deployment,${NEW_KEY}`,
        DOORLEDGER_CHECKPOINTS_FOLDER: join(dir, 'checkpoints'),
        DOORLEDGER_CHECKPOINTS_EVERY_MS: '1000',
      },
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    await Promise.all([desk?.stop(), receiver?.stop()]);
    rmSync(dir, { recursive: true, force: true });
  });

  it('N40 two hosts come to the same: of all who spend an id at once one has it, and both know it after', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `approval-${i}`);
    const [one, other] = cluster.hosts;
    const won = await Promise.all(
      ids.map(async (id) => {
        const spends = [one, other, one, other].map((host) => ask(host!.url, '/v1/ledger/spend', { id, claimId: randomUUID() }));
        return (await Promise.all(spends)).filter(({ body }) => body.spent === true).length;
      }),
    );
    expect(won).toEqual(ids.map(() => 1));
    oldAt = Date.now();
    for (const host of cluster.hosts)
      for (const id of ids) expect((await ask(host.url, `/v1/ledger/spent/${id}`)).body).toMatchObject({ spent: true });
  });

  it('N54 tells of every request, under one id each, though a projector is killed while it sends', async () => {
    for (const [round, { name }] of cluster.projectors.entries()) {
      receiver.answer = () => {};
      const before = receiver.got.length;
      const requests = await Promise.all([0, 1, 2].map((n) => waiting(`webhook-${round}-${n}`)));
      await receiver.until((got) => got.length > before);
      await cluster.kill(name);
      receiver.answer = (response) => void response.writeHead(204).end();
      const delivered = new Map<string, Set<string>>();
      await receiver.until((got) => {
        for (const { id, body } of got) {
          const { data } = JSON.parse(body) as { data: { requestId: string } };
          delivered.set(data.requestId, (delivered.get(data.requestId) ?? new Set()).add(id));
        }
        return requests.every((request) => delivered.has(request));
      });
      expect(requests.map((request) => delivered.get(request)!.size)).toEqual([1, 1, 1]);
      cluster.start(name);
      await cluster.ready(name);
    }
  });

  it('X1 wraps the content keys anew beside running hosts, which read what was said before under the new key alone', async () => {
    const said = await invoke(0, { sessionId: 'kept', input: 'before' });
    expect(said.status).toBe(200);
    await restartWith(`${NEW_KEY},deployment`);
    const rotated = await command(['rotate-key']);
    expect([rotated.code, rotated.said.rewrapped]).toEqual([0, rotated.said.keys]);
    expect(rotated.said.keys).toBeGreaterThan(5);
    await restartWith(NEW_KEY);
    for (const host of [0, 1]) {
      expect(await answered(host, said.turnId)).toBe('before');
      expect((await say(host, 'kept', 'after')).body).toEqual({ output: 'after' });
    }
    expect((await command(['rotate-key'])).said).toMatchObject({ rewrapped: 0 });
  });

  it('X2 erases a session beside running hosts: its request is closed, every host says 404, and its key is gone', async () => {
    await waiting('gone');
    const { code, said, stderr } = await command(['erase', '--session', 'gone']);
    expect([code, stderr, said]).toMatchObject([0, '', { keysDestroyed: 1, sessions: [expect.any(String)] }]);
    for (const host of [0, 1])
      for (let code: unknown; code !== 'ERR_SESSION_NOT_FOUND'; await sleep(50)) ({ code } = (await say(host, 'gone', 'hello')).body);
    expect(desk.times('gone')).toBe(0);
    for (let items: Body[] = []; !items.some(({ sessionRef }) => sessionRef === (said.sessions as string[])[0]); await sleep(50))
      items = (await ask(cluster.projectors[0]!.url, '/v1/consents?state=closed&limit=100')).body.items as Body[];
  });

  it('X3 takes old ingress and private records away beside running hosts, and what waits for a person can still be approved', async () => {
    const requestId = await waiting('still');
    await sleep(Math.max(0, oldAt + 61_000 - Date.now()));
    const { code, said } = await command(['retain', '--older-than', '1m', '--yes']);
    const cuts = said.cuts as { topic: string; start: number; before: number }[];
    expect([code, cuts.some(({ start, before }) => before > start)]).toEqual([0, true]);
    expect(await invoke(1, { sessionId: 'still', decision: { requestId, approved: true } })).toMatchObject({
      status: 200,
      body: { output: 'paid still' },
    });
    expect(desk.times('still')).toBe(1);
    expect(await command(['replay'])).toMatchObject({ code: 0, said: { isEqual: true } });
  });

  it('V2 finds the log sound, and not when records were taken from a topic or it was made anew', async () => {
    const checkpoints = ['--checkpoints-folder', join(dir, 'checkpoints')];
    for (const { name } of [...cluster.hosts, ...cluster.projectors]) expect(await cluster.end(name)).toBe(0);
    expect(await command(['verify', ...checkpoints])).toMatchObject({ code: 0, said: { isSound: true } });
    const topic = topics.session.name;
    let cut = { partition: -1, offset: '' };
    await withKafka(async (admin) => {
      const { partition } = (await admin.fetchTopicOffsets(topic)).find(({ high }) => Number(high) > 2)!;
      cut = { partition, offset: '2' };
      await admin.deleteTopicRecords({ topic, partitions: [cut] });
    });
    expect(await command(['verify', ...checkpoints])).toMatchObject({
      code: 1,
      said: { isSound: false, violation: { statement: 'chains', positions: [{ topic, partition: cut.partition, offset: 0 }] } },
    });
    await withKafka(async (admin) => {
      await admin.deleteTopics({ topics: [topic] });
      while ((await admin.listTopics()).includes(topic)) await sleep(100);
    });
    expect((await command(['topics', '--create'])).code).toBe(0);
    expect(await command(['verify', ...checkpoints])).toMatchObject({
      code: 1,
      said: { isSound: false, violation: { statement: 'chains', positions: [{ topic, offset: 0 }] } },
    });
  });
});
