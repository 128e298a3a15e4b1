import { writeSync } from 'node:fs';
import { openSqliteLog } from '@doorledger/event-log';
import { PostgresGenerations } from '../postgres/generations.js';
import { LedgerGenerations } from '../sqlite/generations.js';
import { replay } from '../sqlite/replay.js';
import { SampleLog } from './sample-log.js';

/**
 * Replays the log of a folder, into the database at `url` if one is given, says `.` after the second commit and stands still there. Meant to
 * be killed.
 */
const [, , dir, url] = process.argv;
const log = await openSqliteLog({ dir: dir!, role: 'reader', topics: new SampleLog().topics });
const generations = url ? await PostgresGenerations.open({ url }) : new LedgerGenerations(dir!);
const hold = await generations.holdBuilding();
let commits = 0;
await replay({
  log,
  generations,
  onProgress: () => {
    if (++commits < 2) return;
    writeSync(1, '.');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
await hold.close();
