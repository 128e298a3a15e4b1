import { closeSync, fsyncSync, ftruncateSync, fstatSync, openSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { sqliteCodeOf } from './sqlite-code.js';
import { NEXT_MARKER, linkSource, markerOf } from './wal-marker.js';

/**
 * Past this many bytes, and at close, what the write-ahead file holds is folded into the main file, and it is written again from
 * its start. It grows beyond by what one transaction writes, and by what is written while the oldest read transaction is
 * open: readers keep theirs short (K14).
 * What `reserveWal` makes of it has fewer pages than one page of SQLite's index over them names (4 062): on a full disk a commit then
 * fails where it writes, and nothing of it is there, and not at the index, when all of it is and SQLite says otherwise.
 */
export const WAL_BOUND_BYTES = 14 * 1024 * 1024;

const WRITE_WAIT_MS = 5_000;
/** Readers of the product hold a page of records for a few ms; one that holds longer is not waited for. */
const CHECKPOINT_WAIT_MS = 50;

export interface Connection {
  readonly role: 'writer' | 'reader';
  /** FULL: a commit is on disk when it returns. NORMAL: the newest commits may be lost with the machine, never the file. */
  readonly synchronous: 'FULL' | 'NORMAL';
}

/** An open SQLite file. All writes go through `write` or `transact`: each transaction leaves its marker in the file (K14). */
export class SqliteFile {
  /** UUID of the file, made at its creation and kept by its copies. */
  readonly fileId: string;
  readonly db: Database.Database;
  readonly #walPath: string;
  readonly #isWriter: boolean;
  readonly #onClose: () => void;
  readonly #nextMarker: Database.Statement<[link: string]>;
  readonly #walState: Database.Statement<[], { log: number }>;
  readonly #frameBytes: number;
  readonly #begin: Database.Statement<[]>;
  readonly #commit: Database.Statement<[]>;
  readonly #nextLink = linkSource();
  #checkpointAtBytes = WAL_BOUND_BYTES;

  /** Connects to a file that was checked before (see openSqliteFile). */
  constructor(path: string, { role, synchronous }: Connection, onClose: () => void = () => {}) {
    this.#walPath = `${path}-wal`;
    this.#isWriter = role === 'writer';
    this.#onClose = onClose;
    this.db = new Database(path, { readonly: !this.#isWriter, fileMustExist: true, timeout: WRITE_WAIT_MS });
    try {
      if (this.#isWriter) {
        this.db.pragma('journal_mode = WAL');
        this.db.pragma(`synchronous = ${synchronous}`);
        this.db.pragma('wal_autocheckpoint = 0');
      }
      this.#nextMarker = this.db.prepare(NEXT_MARKER);
      this.#begin = this.db.prepare('BEGIN IMMEDIATE');
      this.#commit = this.db.prepare('COMMIT');
      this.#walState = this.db.prepare('PRAGMA wal_checkpoint(NOOP)');
      this.#frameBytes = 24 + (this.db.pragma('page_size', { simple: true }) as number);
      this.fileId = markerOf(this.db.prepare<[], string>('SELECT marker FROM file_marker').pluck().get()!).fileId;
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /** Runs `work` in one transaction: all of it is committed, or, when it or the commit throws, nothing. */
  write<T>(work: () => T): T {
    const result = this.transact(work);
    this.checkpointIfDue();
    return result;
  }

  /** As `write`, for who calls `checkpointIfDue` at a better moment. */
  transact<T>(work: () => T): T {
    this.#begin.run();
    try {
      this.#nextMarker.run(this.#nextLink());
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }

  checkpointIfDue(): void {
    const bytes = this.walBytes();
    if (bytes < this.#checkpointAtBytes) return;
    this.#checkpointAtBytes = this.#checkpoint('RESTART') ? WAL_BOUND_BYTES : bytes + WAL_BOUND_BYTES / 4;
  }

  /** What the write-ahead file holds; the file itself keeps the largest size it had. */
  walBytes(): number {
    return this.#walState.get()!.log * this.#frameBytes;
  }

  /**
   * Gives the write-ahead file its full size at once. A commit into space that is there costs one flush of the disk; one that
   * makes the file longer costs a second, for the file system's journal. SQLite takes zeros for the end of the file.
   * For the only writer of a file, once it has written.
   */
  reserveWal(): void {
    const fd = openSync(this.#walPath, 'r+');
    const { size } = fstatSync(fd);
    try {
      const zeros = Buffer.alloc(1024 * 1024);
      for (let at = size; at < WAL_BOUND_BYTES; at += zeros.length) writeSync(fd, zeros, 0, zeros.length, at);
      fsyncSync(fd);
    } catch {
      // Too little space: the append that needs it will say so. What was taken goes back, because the other files need some too.
      ftruncateSync(fd, size);
    } finally {
      closeSync(fd);
    }
  }

  /** Leaves nothing in the write-ahead file, deleted rows neither; false where a reader, or a full disk, stood in the way. */
  emptyWal(): boolean {
    return this.#checkpoint('TRUNCATE');
  }

  #checkpoint(mode: 'RESTART' | 'TRUNCATE'): boolean {
    this.db.pragma(`busy_timeout = ${CHECKPOINT_WAIT_MS}`);
    try {
      return this.db.pragma(`wal_checkpoint(${mode})`, { simple: true }) === 0;
    } catch (error) {
      if (/^SQLITE_(FULL|BUSY|LOCKED)/.test(sqliteCodeOf(error) ?? '')) return false;
      throw error;
    } finally {
      this.db.pragma(`busy_timeout = ${WRITE_WAIT_MS}`);
    }
  }

  close(): void {
    if (!this.db.open) return;
    try {
      if (this.#isWriter) this.emptyWal();
    } finally {
      this.db.close();
      this.#onClose();
    }
  }
}
