import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Chain } from '../chain/chain.js';
import type { PartitionHead } from '../checkpoints/checkpoint.js';

/** Of each map, in memory; the rest is in the file. */
const MAX_IN_MEMORY = 10_000;
const PAGE = 256;

/** A chain as a checkpoint says that it was at offset `next`. */
export type SignedHead = Chain & Pick<PartitionHead, 'next'>;

/** What a verification has to remember, in a temporary file that is gone when it is closed: memory stays bounded however long the log is. */
export class Scratch {
  /** An empty name: SQLite makes a file of its own and removes it. */
  readonly #db = new Database('');
  readonly #addHead;
  readonly #heads;
  readonly #starts;
  #maps = 0;

  constructor() {
    this.#db.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      CREATE TABLE head (topic TEXT, partition INTEGER, next INTEGER, start INTEGER, head TEXT, PRIMARY KEY (topic, partition, next, start, head)) WITHOUT ROWID;
      BEGIN`);
    this.#addHead = this.#db.prepare('INSERT OR IGNORE INTO head VALUES (?, ?, ?, ?, ?)');
    this.#heads = this.#db.prepare<[string, number, number, number, string], SignedHead>(
      `SELECT next, start AS "from", head FROM head WHERE topic = ? AND partition = ? AND (next, start, head) > (?, ?, ?) ORDER BY next, start, head LIMIT ${PAGE}`,
    );
    this.#starts = this.#db.prepare<[string, number], number>('SELECT DISTINCT start FROM head WHERE topic = ? AND partition = ?').pluck();
  }

  addHead({ topic, partition, next, from, head }: PartitionHead): void {
    this.#addHead.run(topic, partition, next, from, head);
  }

  /** Where the chains of a partition that were signed begin. */
  startsOf(topic: string, partition: number): number[] {
    return this.#starts.all(topic, partition);
  }

  /** Every signed head of a partition once, by `next`. */
  *headsOf(topic: string, partition: number): Generator<SignedHead, undefined> {
    for (let [next, from, head] = [-1, -1, '']; ;) {
      const page = this.#heads.all(topic, partition, next, from, head);
      yield* page;
      if (page.length < PAGE) return undefined;
      ({ next, from, head } = page.at(-1)!);
    }
  }

  /** @param pack to text and back, for what does not fit in memory */
  map<V extends object>(pack: (value: V) => string = JSON.stringify, unpack: (text: string) => V = JSON.parse): ScratchMap<V> {
    return new ScratchMap(this.#db, `map${++this.#maps}`, pack, unpack);
  }

  close(): void {
    this.#db.close();
  }
}

export class ScratchMap<V extends object> {
  readonly #recent: LRUCache<string, V>;
  readonly #find;
  readonly #unpack: (text: string) => V;

  constructor(db: Database.Database, table: string, pack: (value: V) => string, unpack: (text: string) => V) {
    db.exec(`CREATE TABLE ${table} (id TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`);
    const put = db.prepare(`INSERT OR REPLACE INTO ${table} VALUES (?, ?)`);
    this.#find = db.prepare<[string], string>(`SELECT value FROM ${table} WHERE id = ?`).pluck();
    this.#unpack = unpack;
    this.#recent = new LRUCache({
      max: MAX_IN_MEMORY,
      dispose: (value, id, reason) => {
        if (reason === 'evict') put.run(id, pack(value));
      },
    });
  }

  get(id: string): V | undefined {
    const recent = this.#recent.get(id);
    if (recent) return recent;
    const text = this.#find.get(id);
    return text === undefined ? undefined : this.#unpack(text);
  }

  set(id: string, value: V): void {
    this.#recent.set(id, value);
  }
}
