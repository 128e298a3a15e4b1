import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandAgent, type Agent } from '@doorledger/agent';
import { currentTraceparent, partitionCounts, topics } from '@doorledger/contracts';
import {
  Claims,
  LogTail,
  SessionView,
  emptySession,
  openSqliteLog,
  startOfPartition,
  type EventLog,
  type StoredRecord,
} from '@doorledger/event-log';
import type { NamedContent } from '@doorledger/ledger';
import { ContentKeys, loadDeploymentKey, openSqliteKeyStore, type KeyStore } from '@doorledger/privacy';
import { FactLane, PrivateWriter, TurnRunner, endEarlierRuns, sessionHistory, type TurnAsk } from '../index.js';
import type { TurnRunnerOptions } from '../turn-runner.js';
import { noTools } from './no-tools.js';

const counts = partitionCounts('embedded');
const session = topics.session.name;
const from = Array.from({ length: counts.get(session)! }, () => startOfPartition);

interface HostOptions {
  readonly enqueue?: boolean;
  readonly wallTimeMs?: number;
  readonly maxRecent?: number;
  readonly steps?: number;
  readonly callsPerStep?: number;
  readonly append?: EventLog['append'];
  /** In place of no tools, rules and gates. */
  readonly tools?: Partial<Pick<TurnRunnerOptions, keyof typeof noTools>>;
}

/** A log on disk and what hosts on it need. */
export class TurnHosts {
  readonly #dir = mkdtempSync(join(tmpdir(), 'doorledger-turns-'));
  readonly #secret = randomBytes(32).toString('hex');
  readonly #keyStore: KeyStore = openSqliteKeyStore(this.#dir);
  readonly #tails: LogTail[] = [];

  readonly topics = [...counts.keys()];

  private constructor(
    readonly log: EventLog,
    readonly logDir: string,
  ) {}

  static async open(): Promise<TurnHosts> {
    const dir = mkdtempSync(join(tmpdir(), 'doorledger-turns-log-'));
    return new TurnHosts(await openSqliteLog({ dir, role: 'writer', topics: counts }), dir);
  }

  /** A host without a ledger: every row is empty, so its view is its own tail from the log's start. */
  async host(
    agent: Agent = commandAgent,
    { enqueue = false, wallTimeMs = 60_000, maxRecent, steps = 24, callsPerStep = 16, append, tools = {} }: HostOptions = {},
  ) {
    const { log } = this;
    const writes = append ? { append } : log;
    const bootId = randomUUID();
    const origin = { source: '/doorledger/test/host', now: Date.now, trace: currentTraceparent };
    const view = new SessionView({
      from,
      row: async () => ({ state: emptySession, next: 0 }),
      ...(maxRecent !== undefined && { maxRecent }),
    });
    const tail = new LogTail({ log, from: { [session]: from.map(() => 0) }, deliver: (batch) => view.apply(batch) });
    this.#tails.push(tail);
    tail.start();
    await tail.catchUp(5000);
    const deploymentKey = loadDeploymentKey({ configured: this.#secret, dir: this.#dir, mayCreate: false });
    const keys = new ContentKeys(deploymentKey, this.#keyStore);
    const claims = new Claims({ log: writes, view, origin, timeoutMs: 3000 });
    const historyWith = (named: NamedContent) => sessionHistory({ ledger: { messagesOf: async () => named }, log, keys });
    const history = historyWith({ read: [], unread: [] });
    const runner = new TurnRunner({
      hostId: 'host',
      bootId,
      view,
      claims,
      content: new PrivateWriter({ log: writes, keys, origin }),
      lane: new FactLane({ log: writes, origin, onLost: () => undefined }),
      ...noTools,
      ...tools,
      agent,
      history,
      enqueue,
      bounds: { wallTimeMs, steps, callsPerStep, artifactsTimeoutMs: 10_000, artifactsKeptMs: 3_600_000 },
    });
    const endEarlier = () => endEarlierRuns({ hostId: 'host', bootId, ledger: { openRunsOf: async () => [] }, view, claims });
    const said = async (key: string) => {
      const held = await view.hold(key);
      try {
        return (await history(key, held)).flatMap(({ messages }) => messages);
      } finally {
        held.release();
      }
    };
    return { runner, view, tail, claims, keys, endEarlier, said, historyWith };
  }

  async recordsOf(topic: string): Promise<StoredRecord[]> {
    const all: StoredRecord[] = [];
    for await (const { records } of this.log.read(
      topic,
      Array.from({ length: counts.get(topic)! }, () => 0),
    ))
      all.push(...records);
    return all;
  }

  async typesOf(topic: string): Promise<(string | undefined)[]> {
    return (await this.recordsOf(topic)).map((record) => record.decoded.type);
  }

  async close(): Promise<void> {
    for (const tail of this.#tails) await tail.close();
    await this.#keyStore.close();
    await this.log.close();
    for (const dir of [this.#dir, this.logDir]) rmSync(dir, { recursive: true, force: true });
  }
}

export const askOf = (input: string, sessionId?: string, signal = new AbortController().signal): TurnAsk => ({
  turnId: randomUUID(),
  input,
  signal,
  ...(sessionId && { session: { ref: Buffer.from(sessionId).toString('hex').padEnd(32, '0'), id: sessionId } }),
});
