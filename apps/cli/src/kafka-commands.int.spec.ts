import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { encode, eventOf, partitionCounts, topics, type Fact } from '@doorledger/contracts';
import { FOLD_VERSION, checkIdentity } from '@doorledger/event-log';
import { openKafkaLog, type TopicProblem } from '@doorledger/event-log/kafka';
import { rebuild } from '@doorledger/ledger';
import { PostgresGenerations } from '@doorledger/ledger/postgres';
import { loadDeploymentKey } from '@doorledger/privacy';
import kafkajs from 'kafkajs';
import { type KafkaCluster, startKafka } from '../../../test/kafka/kafka.mjs';
import { type PostgresServer, startPostgres } from '../../../test/postgres/postgres.mjs';
import { ended, runCli, said, startCli } from './testing/run-cli.js';
import { appendRenewal } from './testing/sample-log.js';

// Each command is a process of its own, and loads its sources.
jest.setTimeout(120_000);

const isThere = existsSync(join(process.cwd(), '.cache/kafka')) || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: the commands on Kafka need Kafka. Run "node scripts/setup.mjs kafka" first.');
const onKafka = isThere ? describe : describe.skip;

const counts = partitionCounts('cluster');
const documents = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

onKafka('commands on Kafka and PostgreSQL', () => {
  let cwd: string;
  let cluster: KafkaCluster;
  let database: PostgresServer;
  let env: NodeJS.ProcessEnv;
  const run = (...args: string[]) => runCli(args, { cwd, env });

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'doorledger-cli-'));
    [cluster, database] = await Promise.all([startKafka(), startPostgres()]);
    env = {
      DOORLEDGER_LOG: 'kafka',
      DOORLEDGER_KAFKA_BROKERS: cluster.bootstrap.join(','),
      DOORLEDGER_KAFKA_DEV: '1',
      DOORLEDGER_STORE: 'postgres',
      DOORLEDGER_DATABASE_URL: database.url(),
      DOORLEDGER_KEY: 'ab'.repeat(32),
    };
  });
  afterAll(async () => {
    await Promise.all([cluster?.stop(), database?.stop()]);
    rmSync(cwd, { recursive: true });
  });

  async function alterSession(name: string, value: string): Promise<void> {
    const admin = new kafkajs.Kafka({ brokers: cluster.bootstrap, logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    const resource = { type: kafkajs.ConfigResourceTypes.TOPIC, name: topics.session.name, configEntries: [{ name, value }] };
    await admin.alterConfigs({ validateOnly: false, resources: [resource] });
    // Confirmed by the controller, and known to the broker a moment later.
    const asked = { type: resource.type, name: resource.name, configNames: [name] };
    const known = async () => (await admin.describeConfigs({ includeSynonyms: false, resources: [asked] })).resources[0]!.configEntries[0]!;
    while ((await known()).configValue !== value) await sleep(20);
    await admin.disconnect();
  }

  it('K13 and X4 name every topic that is missing with its mend, make them, and find nothing then', async () => {
    const missing = await run('topics', '--check');
    expect(missing.code).toBe(1);
    expect(documents(missing.stdout)).toEqual(
      [...counts].map(([topic, partitions]) => ({
        topic,
        setting: 'topic',
        found: 'missing',
        wanted: `${partitions} partitions`,
        mend: 'doorledger topics --create',
      })),
    );
    const strict = await runCli(['topics', '--create'], { cwd, env: { ...env, DOORLEDGER_KAFKA_DEV: 'false' } });
    expect(strict).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/DOORLEDGER_KAFKA_DEV=1\. \(ERR_TOPICS_REFUSED\)\n$/),
    });
    const made = await run('topics', '--create');
    expect(made.code).toBe(0);
    expect(documents(made.stdout)).toHaveLength(counts.size);
    expect(await run('topics', '--check')).toEqual({ code: 0, stdout: '', stderr: 'The topics are as the log needs them.\n' });
  });

  it('K13 and X4 find a setting that breaks the law, and mend it', async () => {
    await alterSession('cleanup.policy', 'compact');
    const found = await run('topics', '--check');
    expect(found.code).toBe(1);
    expect(documents(found.stdout) as unknown as TopicProblem[]).toContainEqual(
      expect.objectContaining({ topic: topics.session.name, setting: 'cleanup.policy', found: 'compact', wanted: 'delete' }),
    );
    const mended = await run('topics', '--create');
    expect([mended.code, mended.stdout]).toEqual([0, expect.stringMatching(/^\{"done":"Set cleanup\.policy=delete.*"\}\n$/)]);
    expect((await run('topics', '--check')).code).toBe(0);
  });

  it('V4 prints the access rules as commands, one a line', async () => {
    const { code, stdout } = await run('topics', '--acls');
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split('\n'))
      expect(line).toMatch(/^kafka-acls\.sh --bootstrap-server \S+ --add --allow-principal User:doorledger-\w+ --operation /);
  });

  it('X4 has nothing to make, check or guard on the embedded log, and says so', async () => {
    for (const flag of ['--create', '--check', '--acls'])
      expect(await runCli(['topics', flag], { cwd })).toEqual({ code: 0, stdout: '', stderr: expect.stringMatching(/nothing to do\.\n$/) });
  });

  it('X4 ends with one sentence where no broker answers, and where Kafka is to be backed up', async () => {
    const away = { ...env, DOORLEDGER_KAFKA_BROKERS: '127.0.0.1:1' };
    const check = await runCli(['topics', '--check'], { cwd, env: away });
    expect(check).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^doorledger: .* \(ERR_LOG_UNREACHABLE\)\n$/) });
    const backup = await run('backup', 'copy');
    expect(backup).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^doorledger: .* \(ERR_NOT_EMBEDDED\)\n$/) });
  });

  it('K15 and X4 wait for a cluster that is not there, saying so, until a signal', async () => {
    const tail = startCli(['tail'], { cwd, env: { ...env, DOORLEDGER_KAFKA_BROKERS: '127.0.0.1:1' } });
    const end = ended(tail);
    await said(tail, 'Waiting for Kafka at 127.0.0.1:1');
    tail.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0, stdout: '' });
  });

  it('K8 adopts a log that lies on another cluster than it says, and not while a host is heard of', async () => {
    const KEY = env.DOORLEDGER_KEY!;
    const keyCheck = loadDeploymentKey({ configured: KEY, dir: '', mayCreate: false }).check;
    const log = await openKafkaLog({ brokers: cluster.bootstrap, clientId: 'spec', topics: counts, dev: true });
    const origin = { source: '/doorledger/main/blue', now: Date.now };
    const append = (key: string, fact: Fact) => log.append(topics.system.name, [{ key, ...encode(eventOf(fact, origin)) }]);
    const [logId, bootId] = ['1', '2'].map((d) => `00000000-0000-4000-8000-00000000000${d}`) as [string, string];
    const host = { hostId: 'blue', bootId, version: '1', foldVersion: FOLD_VERSION, lastSeq: 0, durableSeq: 0 };
    const identity = { logId, place: 'another-cluster', topics: Object.fromEntries(log.topics), foldVersion: FOLD_VERSION, keyCheck };
    await append('genesis', { type: 'log.genesis', data: identity });
    await append('blue', { type: 'host.alive', data: host });

    const beside = await run('adopt', '--yes-i-know');
    expect(beside).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/Hosts write this log \(blue\).*\(ERR_HOSTS_ALIVE\)\n$/s),
    });
    await append('blue', { type: 'host.stopped', data: host });
    expect(await run('adopt')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/\(ERR_NOT_CONFIRMED\)\n$/) });
    const expected = { keyCheck, foldVersion: FOLD_VERSION };
    await expect(checkIdentity(log, expected)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });

    const { code, stdout } = await run('adopt', '--yes-i-know');
    expect([code, documents(stdout)]).toEqual([
      0,
      [expect.objectContaining({ isAdopted: true, changes: [{ of: 'place', was: 'another-cluster', is: log.place }] })],
    ]);
    const adopted = await checkIdentity(log, expected);
    expect(adopted).toMatchObject({ place: log.place, topics: Object.fromEntries(counts) });
    expect(adopted!.logId).not.toBe(logId);
    const again = await run('adopt', '--yes-i-know');
    expect([again.code, documents(again.stdout)]).toEqual([0, [expect.objectContaining({ isAdopted: false })]]);
    await log.close();
  });

  it('X0, X4 and V2 read the log, replay it into the database and verify that both agree', async () => {
    const log = await openKafkaLog({ brokers: cluster.bootstrap, clientId: 'spec', topics: counts, dev: true });
    const generations = await PostgresGenerations.open({ url: database.url() });
    const { store } = await generations.openLive();
    for (const n of [1, 2, 3]) await appendRenewal(log, n);
    const upTo: Record<string, number[]> = {};
    for (const topic of counts.keys()) upTo[topic] = (await log.ends(topic)).map(({ end }) => end);
    await rebuild({ log, store, upTo });
    await store.close();
    await generations.close();
    await log.close();

    const tail = await run('tail', '--no-follow', '--type', 'turn.*');
    expect(documents(tail.stdout).map(({ offset }) => offset)).toEqual([0, 1, 2]);
    const listed = await run('topics');
    expect(documents(listed.stdout)).toContainEqual(expect.objectContaining({ name: topics.session.name, partitions: 48, records: 3 }));
    const replayed = await run('replay');
    expect([replayed.code, documents(replayed.stdout)]).toEqual([0, [expect.objectContaining({ isEqual: true, isSwitched: false })]]);
    const switched = await run('replay', '--switch');
    expect([switched.code, documents(switched.stdout)]).toEqual([0, [expect.objectContaining({ isEqual: true, isSwitched: true })]]);
    const verified = await run('verify', '--no-checkpoints');
    expect([verified.code, documents(verified.stdout)]).toEqual([
      0,
      [expect.objectContaining({ isSound: true, records: 7, live: expect.objectContaining({ generation: 2 }) })],
    ]);
  });

  it('X4 and L8 export what lies on Kafka as typed files by the same reader, a bad record among it', async () => {
    const log = await openKafkaLog({ brokers: cluster.bootstrap, clientId: 'spec', topics: counts, dev: true });
    await log.append(topics.session.name, [{ key: 'ab'.repeat(16), value: Buffer.from('{"half'), headers: {} }]);
    await log.close();
    const { code, stderr } = await run('export', '--format', 'csv', '--topic', 'session', '--out', 'facts');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('Wrote 3 facts into 19 files.\nRecords that are no facts: 1. unreadable.csv') as string,
    ]);
    const [header, ...rows] = readFileSync(join(cwd, 'facts/turn.renewed.csv'), 'utf8').trimEnd().split('\n');
    expect(header).toMatch(/^log_topic,log_partition,log_offset,log_time,.*,turn_id,run_id$/);
    expect(rows.map((row) => row.split(',')[2])).toEqual(['0', '1', '2']);
    expect(readFileSync(join(cwd, 'facts/unreadable.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(2);
  });
});
