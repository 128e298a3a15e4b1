import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandAgent } from '@doorledger/agent';
import { partitionCounts, topics } from '@doorledger/contracts';
import { Claims, LogTail, SessionView, emptySession, startOfPartition } from '@doorledger/event-log';
import { createTopics, openKafkaLog } from '@doorledger/event-log/kafka';
import { ContentKeys, loadDeploymentKey, openSqliteKeyStore, type KeyStore } from '@doorledger/privacy';
import { connectionTo, describeOnKafka } from '../../event-log/src/kafka/testing/kafka-cluster.js';
import { FactLane, PrivateWriter, TurnRunner, sessionHistory, type TurnAsk } from './index.js';
import { noTools } from './testing/no-tools.js';

jest.setTimeout(120_000);
const counts = partitionCounts('cluster');
const session = topics.session.name;
const from = Array.from({ length: counts.get(session)! }, () => startOfPartition);
const SESSIONS = 20;

describeOnKafka(
  'two hosts on one Kafka log',
  (cluster) => {
    let dir: string;
    let keyStore: KeyStore;
    const opened: { close(): Promise<void> }[] = [];
    const secret = randomBytes(32).toString('hex');

    beforeAll(async () => {
      dir = mkdtempSync(join(tmpdir(), 'doorledger-two-hosts-'));
      keyStore = openSqliteKeyStore(dir);
      await createTopics({ connection: connectionTo(cluster()), topics: counts, dev: true });
    });
    afterAll(async () => {
      for (const part of opened.reverse()) await part.close();
      await keyStore.close();
      rmSync(dir, { recursive: true, force: true });
    });

    /** A host with a reading of its own, which makes its rows from the log's start. */
    async function host(hostId: string, enqueue: boolean): Promise<{ runner: TurnRunner; view: SessionView }> {
      const log = await openKafkaLog({ ...connectionTo(cluster()), topics: counts, dev: true });
      const view = new SessionView({ from, row: async () => ({ state: emptySession, next: 0 }) });
      const tail = new LogTail({ log, from: { [session]: from.map(() => 0) }, deliver: (batch) => view.apply(batch) });
      tail.start();
      opened.push(log, tail);
      await tail.catchUp(20_000);
      const origin = { source: `/doorledger/test/${hostId}`, now: Date.now };
      const keys = new ContentKeys(loadDeploymentKey({ configured: secret, dir, mayCreate: false }), keyStore);
      const runner = new TurnRunner({
        hostId,
        bootId: randomUUID(),
        view,
        claims: new Claims({ log, view, origin }),
        content: new PrivateWriter({ log, keys, origin }),
        agent: commandAgent,
        history: sessionHistory({ ledger: { messagesOf: async () => ({ read: [], unread: [] }) }, log, keys }),
        ...noTools,
        lane: new FactLane({ log, origin, onLost: () => undefined }),
        enqueue,
        bounds: { steps: 24, callsPerStep: 16, wallTimeMs: 60_000, artifactsTimeoutMs: 10_000, artifactsKeptMs: 3_600_000 },
      });
      return { runner, view };
    }

    const refs = Array.from({ length: SESSIONS }, () => randomBytes(16).toString('hex'));
    const ask = (ref: string, input: string, signer: string): TurnAsk => ({
      turnId: randomUUID(),
      input,
      signer,
      session: { ref, id: ref },
      signal: new AbortController().signal,
    });
    const codeOf = (error: unknown) => (error as { code?: string }).code;

    it('O1 and L5 give a new session that two persons claim at once through two hosts to one of them, and both hosts say the same', async () => {
      const hosts = await Promise.all([host('host-a', false), host('host-b', false)]);
      const persons = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
      for (const ref of refs) {
        const answers = await Promise.all(
          hosts.map(({ runner }, i) => runner.run(ask(ref, `from ${i}`, persons[i]!)).then(() => 'served', codeOf)),
        );
        const winner = answers.indexOf('served');
        expect([winner >= 0, answers[1 - winner]]).toEqual([true, 'ERR_SESSION_NOT_FOUND']);
        const owners = await Promise.all(
          hosts.map(async ({ view }) => {
            const held = await view.hold(ref);
            held.release();
            return held.state.owner;
          }),
        );
        expect(owners).toEqual([persons[winner], persons[winner]]);
      }
    });

    it('R1 and L5 refuse or queue the messages that one person sends to one session through two hosts, as the setting says', async () => {
      const person = randomBytes(16).toString('hex');
      const rejecting = await Promise.all([host('host-c', false), host('host-d', false)]);
      const atOnce = (hosts: typeof rejecting, ref: string, n: number) =>
        Promise.all(
          Array.from({ length: n }, (_, i) =>
            hosts[i % 2]!.runner.run(ask(ref, `message ${i}`, person)).then(
              (answer) => ('output' in answer ? answer.output : undefined),
              codeOf,
            ),
          ),
        );
      const refused = await atOnce(rejecting, randomBytes(16).toString('hex'), 8);
      expect(refused.some((answer) => answer?.startsWith('message'))).toBe(true);
      expect(refused.every((answer) => answer?.startsWith('message') || answer === 'ERR_CONCURRENT_RUN')).toBe(true);
      const queueing = await Promise.all([host('host-e', true), host('host-f', true)]);
      const queued = await atOnce(queueing, randomBytes(16).toString('hex'), 8);
      expect(queued.sort()).toEqual(Array.from({ length: 8 }, (_, i) => `message ${i}`));
    });
  },
  { brokers: 1 },
);
