import { statSync } from 'node:fs';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { readFrame } from './record-frame.js';
import { sqliteCodeOf } from './sqlite-code.js';
import { SqliteFile } from './sqlite-file.js';
import { APPENDED, ASKED, COUNT, FILE_GONE, MESSAGE, type SharedMemory, type WriterReply, type WriterRequest } from './writer-protocol.js';

/** The thread that owns the write connection, so that nobody else waits for the disk. It imports little: the log starts with it. */
const port = parentPort!;
const reply = (message: WriterReply): void => port.postMessage(message);
/** A look costs a twentieth of a commit. */
const LOOK_EVERY_MS = 5;
const causeOf = (error: unknown): string => sqliteCodeOf(error) ?? String(error);

let file: SqliteFile;
let insert: Database.Statement<[number, number, number, string, string, Uint8Array, number]>;
let isStopped = false;
let filePath: string;
let inode: number;

let lookedAt = -Infinity;

const inodeNow = (): number | undefined => statSync(filePath, { throwIfNoEntry: false })?.ino;

/** What is written to a file that nobody can find any more is lost with this process. Under load one look is for several transactions. */
function isFileGone(): boolean {
  const now = performance.now();
  if (now - lookedAt < LOOK_EVERY_MS) return false;
  lookedAt = now;
  return inodeNow() !== inode;
}

function open(path: string): void {
  file = new SqliteFile(path, { role: 'writer', synchronous: 'FULL' });
  filePath = path;
  inode = inodeNow()!;
  const start = file.db.prepare<[], { epoch: number }>('UPDATE writer SET epoch = epoch + 1 RETURNING epoch');
  const { epoch } = file.write(() => start.get()!);
  insert = file.db.prepare('INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?)');
  reply({ type: 'opened', epoch });
  file.reserveWal();
}

function append(frames: Buffer, count: number): void {
  if (isFileGone()) {
    isStopped = true;
    return reply({ type: 'stopped', cause: FILE_GONE });
  }
  let isCommitting = false;
  try {
    file.transact(() => {
      let at = 0;
      for (let i = 0; i < count; i++) {
        const { place, timestamp, epoch, key, headers, value, checksum, end } = readFrame(frames, at);
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
  reply(APPENDED);
  file.checkpointIfDue();
}

function cut({ slot, start, from, until }: Extract<WriterRequest, { type: 'cut' }>): void {
  file.write(() => {
    file.db.prepare('UPDATE partition SET start = ? WHERE slot = ?').run(start, slot);
    file.db.prepare('DELETE FROM record WHERE place >= ? AND place < ?').run(from, until);
  });
  reply(APPENDED);
  file.checkpointIfDue();
}

function answerWork(request: Exclude<WriterRequest, { type: 'close' }>): void {
  if (request.type === 'open') open(request.path);
  else if (request.type === 'cut') cut(request);
  else append(Buffer.from(request.frames), request.count);
}

/** Whether there is more to come. */
function answer(request: WriterRequest): boolean {
  if (request.type === 'close') {
    file?.close();
    return false;
  }
  if (!isStopped) attempt(() => answerWork(request));
  return true;
}

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    isStopped = true;
    reply({ type: 'stopped', cause: causeOf(error) });
  }
}

function run({ control, frames }: SharedMemory): void {
  const shared = Buffer.from(frames);
  // As the shared count does, this one goes round at 2 ** 31.
  for (let asked = 0, isOver = false; !isOver; asked = (asked + 1) | 0) {
    // A question met before the sleep began has its wake-up still to come: only the count tells that there is a new one.
    while (Atomics.load(control, ASKED) === asked) Atomics.wait(control, ASKED, asked);
    const count = control[COUNT]!;
    if (count === MESSAGE) isOver = !answer((receiveMessageOnPort(port) as { message: WriterRequest }).message);
    else if (!isStopped) attempt(() => append(shared, count));
  }
  port.close();
}

run(workerData as SharedMemory);
