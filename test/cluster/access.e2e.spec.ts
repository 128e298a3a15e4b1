import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { topics } from '@doorledger/contracts';
import kafkajs from 'kafkajs';
import { cli, ended, runCli } from '../faults/served-process.js';
import { ToolDesk } from '../e2e/consent/tool-desk.js';
import { type KafkaCluster, startKafka } from '../kafka/kafka.mjs';
import { type PostgresServer, startPostgres } from '../postgres/postgres.mjs';

const isThere = existsSync('.cache/kafka') || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: access rules need Kafka. Run "node scripts/setup.mjs kafka" first.');

const USERS = ['host', 'projector', 'analytics', 'operator'] as const;
type User = (typeof USERS)[number];
const nameOf = (user: User) => `doorledger-${user}`;
const passwordOf = (name: string) => `of ${name}`;
const jaas = [...USERS.map(nameOf), 'broker'].map((name) => `user_${name}="${passwordOf(name)}"`).join(' ');

let dir: string;
let kafka: KafkaCluster;
let postgres: PostgresServer;
let desk: ToolDesk;
let key: string;
const running: ReturnType<typeof cli>[] = [];

const sasl = (name: string) => ({ mechanism: 'plain' as const, username: name, password: passwordOf(name) });
const clientOf = (name: string) =>
  new kafkajs.Kafka({ brokers: kafka.bootstrap, sasl: sasl(name), logLevel: kafkajs.logLevel.NOTHING, retry: { retries: 1 } });

async function asAdmin<T>(name: string, work: (admin: kafkajs.Admin) => Promise<T>): Promise<T> {
  const admin = clientOf(name).admin();
  await admin.connect();
  return work(admin).finally(() => admin.disconnect());
}

const envOf = (user: User): Record<string, string> => ({
  DOORLEDGER_LOG: 'kafka',
  DOORLEDGER_STORE: 'postgres',
  DOORLEDGER_KAFKA_BROKERS: kafka.bootstrap.join(','),
  DOORLEDGER_KAFKA_DEV: 'true',
  DOORLEDGER_KAFKA_SASL: 'plain',
  DOORLEDGER_KAFKA_USERNAME: nameOf(user),
  DOORLEDGER_KAFKA_PASSWORD: passwordOf(nameOf(user)),
  DOORLEDGER_DATABASE_URL: postgres.url(),
  DOORLEDGER_KEY: key,
  DOORLEDGER_DATA: join(dir, user),
  DOORLEDGER_TOOLS_SERVERS: JSON.stringify([
    { name: 'desk', url: desk.url, scope: 'session', tools: { pay: { gate: { kind: 'checkIn' } } } },
  ]),
});

/** The printed commands, as their arguments say, given to the broker that judges by them. */
async function grant(commands: string): Promise<void> {
  const acl = commands
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const all = (flag: string) => [...line.matchAll(new RegExp(`--${flag} (\\S+)`, 'g'))].map(([, value]) => value!);
      const pattern = line.includes('--resource-pattern-type prefixed')
        ? kafkajs.ResourcePatternTypes.PREFIXED
        : kafkajs.ResourcePatternTypes.LITERAL;
      const resources = [
        ...all('topic').map((resourceName) => ({ resourceType: kafkajs.AclResourceTypes.TOPIC, resourceName })),
        ...all('group').map((resourceName) => ({ resourceType: kafkajs.AclResourceTypes.GROUP, resourceName })),
      ];
      return resources.flatMap((resource) =>
        all('operation').map((operation) => ({
          ...resource,
          resourcePatternType: pattern,
          principal: all('allow-principal')[0]!,
          host: '*',
          operation: kafkajs.AclOperationTypes[snake(operation)],
          permissionType: kafkajs.AclPermissionTypes.ALLOW,
        })),
      );
    });
  await asAdmin('broker', (admin) => admin.createAcls({ acl }));
}
const snake = (name: string) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase() as keyof typeof kafkajs.AclOperationTypes;

async function start(command: 'host' | 'projector', port: string): Promise<string> {
  const child = cli([command], { ...envOf(command), [port]: '0' });
  running.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  for (;;) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
    if (url && (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200) return url;
    if (child.exitCode !== null) throw new Error(said);
    await sleep(50);
  }
}

/** The error of a client that is not let: its type as the broker names it. */
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'was let',
    (error: { type?: string; originalError?: { type?: string } }) => error.type ?? error.originalError?.type ?? 'refused otherwise',
  );

async function write(name: string, topic: string): Promise<void> {
  const producer = clientOf(name).producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ key: 'x', value: 'x' }] }).finally(() => producer.disconnect());
}

/** The first record of a topic, read as a member of a group. */
async function read(name: string, topic: string, groupId: string): Promise<string> {
  const consumer = clientOf(name).consumer({ groupId });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    return await new Promise<string>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
      void consumer.run({ eachMessage: async ({ message }) => resolve(message.value!.toString()) });
    });
  } finally {
    await consumer.disconnect();
  }
}

(isThere ? describe : describe.skip)('a Kafka whose authorizer knows the printed access rules and nothing else', () => {
  jest.setTimeout(180_000);
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'doorledger-access-'));
    key = randomBytes(32).toString('hex');
    [desk, postgres, kafka] = await Promise.all([
      ToolDesk.start(),
      startPostgres(),
      startKafka({
        client: { sasl: sasl('broker') },
        properties: {
          'listener.security.protocol.map': 'BROKER:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
          'sasl.enabled.mechanisms': 'PLAIN',
          'sasl.mechanism.inter.broker.protocol': 'PLAIN',
          'listener.name.broker.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="${passwordOf('broker')}" ${jaas};`,
          'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
          // Brokers reach their controller unnamed, by a listener that no client knows.
          'super.users': 'User:broker;User:ANONYMOUS',
        },
      }),
    ]);
  });
  afterAll(async () => {
    await Promise.all(running.map((child) => ended(child, 'SIGTERM')));
    await Promise.all([kafka?.stop(), postgres?.stop(), desk?.stop()]);
    rmSync(dir, { recursive: true, force: true });
  });

  it('V4 lets an operator make the topics, hosts and projectors do their work, and everybody else read what is public', async () => {
    expect((await runCli(['topics', '--create'], envOf('operator'))).code).not.toBe(0);
    const printed = await runCli(['topics', '--acls'], envOf('operator'));
    expect(printed.code).toBe(0);
    await grant(printed.stdout);
    expect(await runCli(['topics', '--create'], envOf('operator'))).toMatchObject({ code: 0 });
    const [host, projector] = await Promise.all([start('host', 'DOORLEDGER_PORT'), start('projector', 'DOORLEDGER_PROJECTOR_PORT')]);
    const ask = async (body: object) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${host}/invoke`, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const paused = await ask({ sessionId: 's', input: '/call desk.pay {"note":"allowed"}' });
    expect(paused.status).toBe(202);
    const { requestId } = paused.body.awaiting as { requestId: string };
    expect(await ask({ sessionId: 's', decision: { requestId, approved: true } })).toMatchObject({ status: 200 });
    let items: { state?: string }[] = [];
    while (!items.some(({ state }) => state === 'approved'))
      ({ items } = (await (await fetch(`${projector}/v1/consents`)).json()) as { items: { state?: string }[] });
    const group = 'analytics-spec';
    expect(JSON.parse(await read(nameOf('analytics'), topics.session.name, group))).toMatchObject({ type: expect.any(String) });
    expect(JSON.parse(await read(nameOf('analytics'), topics.consent.name, group))).toMatchObject({ type: 'consent.requested' });
    expect(await runCli(['verify', '--no-checkpoints'], envOf('projector'))).toMatchObject({ code: 0 });
  });

  it('V4 lets nobody do more: analytics reads nothing private, hosts write no feed, projectors write no truth, none of them makes or cuts a topic', async () => {
    const { session, private: sealed, consent, ingress } = topics;
    const denied = 'TOPIC_AUTHORIZATION_FAILED';
    expect(await refusal(asAdmin(nameOf('analytics'), (admin) => admin.fetchTopicOffsets(sealed.name)))).toBe(denied);
    expect(await refusal(write(nameOf('analytics'), session.name))).toBe(denied);
    expect(await refusal(write(nameOf('projector'), session.name))).toBe(denied);
    expect(await refusal(write(nameOf('host'), consent.name))).toBe(denied);
    for (const user of ['analytics', 'projector', 'host'] as const) {
      const cut = (admin: kafkajs.Admin) => admin.deleteTopicRecords({ topic: ingress.name, partitions: [{ partition: 0, offset: '0' }] });
      expect([user, await refusal(asAdmin(nameOf(user), cut))]).not.toEqual([user, 'was let']);
      expect([user, await refusal(asAdmin(nameOf(user), (admin) => admin.deleteTopics({ topics: [session.name] })))]).not.toEqual([
        user,
        'was let',
      ]);
    }
    expect(await refusal(read(nameOf('analytics'), session.name, 'doorledger-taken'))).not.toBe('was let');
  });
});
