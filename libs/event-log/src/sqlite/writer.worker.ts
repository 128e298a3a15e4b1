import { statSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { readFrame, stampFrame } from './record-frame.js';
import { sqliteCodeOf } from './sqlite-code.js';
import { SqliteFile } from './sqlite-file.js';
import { FILE_GONE, type WriterReply, type WriterRequest } from './writer-protocol.js';

/** The thread that owns the write connection, so that nobody else waits for the disk. It imports little: the log starts with it. */
const port = parentPort!;
const reply = (message: WriterReply): void => port.postMessage(message);
const causeOf = (error: unknown): string => sqliteCodeOf(error) ?? String(error);

let file: SqliteFile;
let epoch: number;
let insert: Database.Statement<[number, number, number, string, string, Uint8Array, number]>;
let isStopped = false;
let filePath: string;
let inode: number;

const inodeNow = (): number | undefined => statSync(filePath, { throwIfNoEntry: false })?.ino;

function open(path: string): void {
  file = new SqliteFile(path, { role: 'writer', synchronous: 'FULL' });
  filePath = path;
  inode = inodeNow()!;
  const start = file.db.prepare<[], { epoch: number }>('UPDATE writer SET epoch = epoch + 1 RETURNING epoch');
  ({ epoch } = file.write(() => start.get()!));
  insert = file.db.prepare('INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)');
  reply({ type: 'opened', epoch });
  file.reserveWal();
}

function append(bytes: ArrayBuffer, count: number): void {
  // What is written to a file that nobody can find any more is lost with this process.
  if (inodeNow() !== inode) {
    isStopped = true;
    return reply({ type: 'stopped', cause: FILE_GONE });
  }
  const frames = Buffer.from(bytes);
  const timestamp = Date.now();
  let isCommitting = false;
  try {
    file.transact(() => {
      let at = 0;
      for (let i = 0; i < count; i++) {
        stampFrame(frames, at, timestamp, epoch);
        const { place, key, headers, value, checksum, end } = readFrame(frames, at);
        insert.run(place, timestamp, epoch, key, headers, value, checksum);
        at = end;
      }
      isCommitting = true;
    });
  } catch (error) {
    const cause = causeOf(error);
    // The frames of a commit that failed may still be found by the next start: of those only a full disk is definite.
    if (isCommitting && cause !== 'SQLITE_FULL') throw error;
    return reply({ type: 'refused', cause });
  }
  reply({ type: 'appended', timestamp });
  file.checkpointIfDue();
}

port.on('message', (request: WriterRequest) => {
  if (request.type === 'close') {
    port.close();
    return file?.close();
  }
  if (isStopped) return;
  try {
    if (request.type === 'open') open(request.path);
    else append(request.frames, request.count);
  } catch (error) {
    isStopped = true;
    reply({ type: 'stopped', cause: causeOf(error) });
  }
});
