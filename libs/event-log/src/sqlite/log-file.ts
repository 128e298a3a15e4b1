import { join } from 'node:path';
import { HeadersJson } from '@doorledger/contracts';
import type Database from 'better-sqlite3';
import { LogRefusedError } from '../errors.js';
import type { PartitionRange } from '../event-log.js';
import { StoredRecord } from '../stored-record.js';
import { namedFileError, openSqliteFile } from './file.js';
import { type PartitionTable, type Slot, createPartitions, offsetOf, placeOf, readPartitions } from './partition-table.js';
import type { SqliteFile } from './sqlite-file.js';

export const LOG_FORMAT = 1;
/** A page is one short read transaction (K14). */
export const PAGE_RECORDS = 256;
export const PAGE_BYTES = 1024 * 1024;
/** Read at once: half the cost of one by one, and at most so many large records in memory that a page does not take. */
const CHUNK_RECORDS = 32;

const SCHEMA = `
  CREATE TABLE partition (slot INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, start INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE writer (epoch INTEGER NOT NULL);
  INSERT INTO writer VALUES (0);
  CREATE TABLE record (
    place INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, epoch INTEGER NOT NULL,
    key TEXT NOT NULL, headers TEXT NOT NULL, value BLOB NOT NULL, checksum INTEGER NOT NULL
  );
`;

/** A row of a page: its value as text, which costs half of what a buffer does. */
type PageRow = [place: number, timestamp: number, epoch: number, key: string, headers: string, value: string];

/** What SQLite's text makes of bytes that are not UTF-8, and of a replacement character that is there. */
const REPLACED = '\uFFFD';

/** A row of `record`, in the order of its columns. */
export type RecordRow = [place: number, timestamp: number, epoch: number, key: string, headers: string, value: Buffer, checksum: number];

export const logPath = (dir: string): string => join(dir, 'log.db');

/** Makes `log.db` where there is none and is the first to touch it in this process, before the writer's thread. */
export function prepareLogFile(dir: string, topics: ReadonlyMap<string, number>): void {
  const create = (db: Database.Database): void => {
    db.exec(SCHEMA);
    createPartitions(db, topics);
  };
  openSqliteFile(logPath(dir), { role: 'writer', synchronous: 'FULL', kind: 'log', format: LOG_FORMAT, create }).close();
}

/** The read side of a log file: every call is one short read transaction. */
export class LogFile {
  readonly partitions: PartitionTable;
  readonly #file: SqliteFile;
  readonly #path: string;
  readonly #page: Database.Statement<[number, number], PageRow>;
  readonly #one: Database.Statement<[number], RecordRow>;
  readonly #last: Database.Statement<[number, number], number>;
  readonly #first: Database.Statement<[number, number], number>;
  readonly #starts: Database.Statement<[], number>;

  /** @throws LogRefusedError see openSqliteFile */
  constructor(dir: string) {
    this.#path = logPath(dir);
    this.#file = openSqliteFile(this.#path, { role: 'reader', synchronous: 'FULL', kind: 'log', format: LOG_FORMAT });
    const { db } = this.#file;
    try {
      this.partitions = readPartitions(db);
      this.#page = db
        .prepare<[number, number], PageRow>(
          'SELECT place, timestamp, epoch, key, headers, CAST(value AS TEXT) FROM record WHERE place >= ? AND place < ? ORDER BY place',
        )
        .raw();
      this.#one = db.prepare<[number], RecordRow>('SELECT * FROM record WHERE place = ?').raw();
      this.#last = db
        .prepare<[number, number], number>('SELECT place FROM record WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT 1')
        .pluck();
      this.#first = db
        .prepare<[number, number], number>('SELECT place FROM record WHERE place >= ? AND place < ? ORDER BY place LIMIT 1')
        .pluck();
      this.#starts = db.prepare<[], number>('SELECT start FROM partition ORDER BY slot').pluck();
    } catch (error) {
      this.#file.close();
      throw namedFileError(error, this.#path);
    }
  }

  get fileId(): string {
    return this.#file.fileId;
  }

  /**
   * The records of a partition from an offset below `end` on: at least one, at most PAGE_RECORDS, and no further one past PAGE_BYTES.
   * @throws LogRefusedError `ERR_LOG_CORRUPT` where the record at `from` is not there, `ERR_FILE_TORN`
   */
  page(slot: Slot, from: number, end: number): StoredRecord[] {
    const records: StoredRecord[] = [];
    const until = Math.min(end, from + PAGE_RECORDS);
    let bytes = 0;
    try {
      for (let at = from; at < until && at === from + records.length && bytes < PAGE_BYTES; at += CHUNK_RECORDS) {
        for (const row of this.#page.all(placeOf(slot.slot, at), placeOf(slot.slot, Math.min(until, at + CHUNK_RECORDS)))) {
          const record = recordOf(slot, row[5].includes(REPLACED) ? this.#one.get(row[0])! : row);
          if (record.offset !== from + records.length || bytes >= PAGE_BYTES) break;
          records.push(record);
          bytes += row[5].length;
        }
      }
    } catch (error) {
      throw error instanceof SyntaxError ? corruptRecord(slot, from + records.length) : namedFileError(error, this.#path);
    }
    if (records.length === 0) throw corruptRecord(slot, from);
    return records;
  }

  /** The first offset that has a record, also below the partition's start where a cut was interrupted; undefined for an empty one. */
  first({ slot }: Slot): number | undefined {
    const place = this.#first.get(placeOf(slot, 0), placeOf(slot + 1, 0));
    return place === undefined ? undefined : offsetOf(place);
  }

  at(slot: Slot, offset: number): StoredRecord | undefined {
    try {
      const row = this.#one.get(placeOf(slot.slot, offset));
      return row && recordOf(slot, row);
    } catch (error) {
      throw namedFileError(error, this.#path);
    }
  }

  /** By slot. */
  ranges(): PartitionRange[] {
    try {
      return this.#starts.all().map((start, slot) => {
        const last = this.#last.get(placeOf(slot, 0), placeOf(slot + 1, 0));
        return { start, end: last === undefined ? start : offsetOf(last) + 1 };
      });
    } catch (error) {
      throw namedFileError(error, this.#path);
    }
  }

  /** Changes whenever another connection, of this process or another, committed. */
  dataVersion(): number {
    return this.#file.db.pragma('data_version', { simple: true }) as number;
  }

  get db(): Database.Database {
    return this.#file.db;
  }

  close(): void {
    this.#file.close();
  }
}

function recordOf({ topic, partition }: Slot, [place, timestamp, epoch, key, headers, value]: PageRow | RecordRow): StoredRecord {
  return new StoredRecord(topic, partition, offsetOf(place), timestamp, epoch, key, value, new HeadersJson(headers));
}

export const corruptRecord = ({ topic, partition }: Slot, offset: number): LogRefusedError =>
  new LogRefusedError(
    'ERR_LOG_CORRUPT',
    `The record at ${topic}:${partition}:${offset} is missing or damaged: put back a backup of log.db, or call \`doorledger verify\` to see how far it goes.`,
  );
