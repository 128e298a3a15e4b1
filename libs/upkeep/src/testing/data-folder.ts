import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventOf, partitionCounts, topics, type Fact } from '@doorledger/contracts';
import { openSqliteLog, type EventLog, type StoredRecord } from '@doorledger/event-log';
import { LedgerGenerations, ledgerReader, rebuild, replay, upkeepReader, type LedgerStore, type ReplayResult } from '@doorledger/ledger';
import {
  ContentKeys,
  References,
  loadDeploymentKey,
  openContent,
  openSqliteKeyStore,
  sealContent,
  type KeyOwner,
  type KeyStore,
  type SealedContent,
} from '@doorledger/privacy';
import type { UpkeepParts } from '../operations.js';

const origin = { source: '/doorledger/test/host', now: () => Date.now() };

export interface Said {
  readonly content: SealedContent;
  readonly turnId: string;
}

export interface TurnOptions {
  readonly ends?: boolean;
  readonly turnId?: string;
  readonly owner?: KeyOwner;
}

/** A data folder as a command finds it that nobody else works on. */
export class DataFolder {
  readonly dir = mkdtempSync(join(tmpdir(), 'doorledger-upkeep-'));
  readonly references = new References(this.#key());
  log!: EventLog;
  store!: LedgerStore;
  #keyStore!: KeyStore;
  readonly #lastRun = new Map<string, string>();
  /** Steps that may still be done; then the process is gone. */
  stepsLeft = Infinity;

  async open(): Promise<UpkeepParts> {
    this.stepsLeft = Infinity;
    this.log = await openSqliteLog({ dir: this.dir, role: 'writer', topics: partitionCounts('embedded') });
    this.store = new LedgerGenerations(this.dir).openLive().store;
    this.#keyStore = openSqliteKeyStore(this.dir);
    const { log } = this;
    const reader = ledgerReader(this.store, log.topics);
    const keys = new ContentKeys(this.#key(), this.#keyStore);
    return {
      log: {
        place: log.place,
        topics: log.topics,
        append: (topic, records) => this.#step(() => log.append(topic, records)),
        cut: (topic, cuts) => this.#step(() => log.cut(topic, cuts)),
        read: (topic, from) => log.read(topic, from),
        recordAt: (position) => log.recordAt(position),
        follow: (from, deliver) => log.follow(from, deliver),
        ends: (topic) => log.ends(topic),
        close: () => log.close(),
      },
      keys: { destroy: (owner) => this.#step(() => keys.destroy(owner)) },
      ledger: { ...reader, positions: () => this.#fold().then(() => reader.positions()) },
      records: upkeepReader(this.store),
      references: this.references,
      origin,
    };
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.#keyStore.close();
    await this.log.close();
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.dir, { recursive: true });
  }

  refOf(sessionId: string): string {
    return this.references.sessionRef(undefined, sessionId);
  }

  say(topic: string, key: string, fact: Fact): Promise<unknown> {
    return this.log.append(topic, [{ key, ...encode(eventOf(fact, origin)) }]);
  }

  /** A turn, which runs unless it ends; its words lie sealed on the log. */
  async turn(
    key: string,
    signer?: string,
    { ends = true, turnId = randomUUID(), owner = { kind: 'session', ref: key } }: TurnOptions = {},
  ): Promise<Said> {
    const content = sealContent(await new ContentKeys(this.#key(), this.#keyStore).keyFor(owner), 'a secret', {
      type: 'messages.added',
      subject: turnId,
    });
    const runId = randomUUID();
    const data = { turnId, runId, hostId: 'h', bootId: randomUUID(), after: this.#lastRun.get(key) ?? null, ...(signer && { signer }) };
    this.#lastRun.set(key, runId);
    await this.say(topics.session.name, key, { type: 'turn.claimed', data });
    await this.say(topics.private.name, key, { type: 'messages.added', data: { turnId, runId, ...content, messages: 1 } });
    if (ends)
      await this.say(topics.session.name, key, { type: 'turn.failed', data: { turnId, runId, errorName: 'E', liveToolSessions: 0 } });
    return { content, turnId };
  }

  /** What a process that starts now can read of it: the words, or why not. */
  reads({ content, turnId }: Said): Promise<string> {
    const place = { type: 'messages.added', subject: turnId } as const;
    return openContent(new ContentKeys(this.#key(), this.#keyStore), content, place).then(
      (text) => text.toString(),
      (error: { code: string }) => error.code,
    );
  }

  async recordsOf(topic: string): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    const starts = (await this.log.ends(topic)).map(({ start }) => start);
    for await (const batch of this.log.read(topic, starts)) records.push(...batch.records);
    return records;
  }

  async typesOf(key: string): Promise<(string | undefined)[]> {
    return (await this.recordsOf(topics.session.name)).filter((record) => record.key === key).map(({ decoded }) => decoded.type);
  }

  /** The live ledger against one that is made anew from what the log holds now. */
  async replayed(): Promise<ReplayResult> {
    await this.#fold();
    const generations = new LedgerGenerations(this.dir);
    const result = await replay({ log: this.log, generations });
    generations.discard(result.rebuilt.generation);
    return result;
  }

  #key() {
    return loadDeploymentKey({ dir: this.dir, mayCreate: true });
  }

  async #step<T>(work: () => Promise<T>): Promise<T> {
    if (this.stepsLeft-- <= 0) throw new Error('killed');
    return work();
  }

  async #fold(): Promise<void> {
    const names = [...this.log.topics.keys()];
    const ends = await Promise.all(names.map(async (name) => (await this.log.ends(name)).map(({ end }) => end)));
    await rebuild({ log: this.log, store: this.store, upTo: Object.fromEntries(names.map((name, i) => [name, ends[i]!])) });
  }
}
