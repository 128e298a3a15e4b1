import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { encode, eventOf, partitionCounts, topics } from '@doorledger/contracts';
import { openSqliteLog, type NewRecord } from '@doorledger/event-log';
import { compared, percentile, type Bench, type BenchRow } from '../row.js';
import { inScratch } from '../scratch.js';

const CALLERS = [1, 16, 64, 256];
const ROUNDS = 3;
const MS_PER_ROUND = 1000;
const counts = partitionCounts('embedded');

export function claimRecord(key: string = randomUUID()): NewRecord {
  const data = { turnId: randomUUID(), runId: randomUUID() };
  return { key, ...encode(eventOf({ type: 'turn.renewed', data }, { source: '/doorledger/bench/host', now: Date.now })) };
}

/** One fsynced transaction per record, bare: what the disk gives a single writer. */
export function bareAppender(dir: string): { append(record: NewRecord): void; close(): void } {
  const db = new Database(join(dir, 'bare.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('create table record (offset integer primary key, key text, value blob, headers text)');
  const insert = db.prepare('insert into record (key, value, headers) values (?, ?, ?)');
  return {
    append: ({ key, value, headers }) => void insert.run(key, value, JSON.stringify(headers)),
    close: () => void db.close(),
  };
}

/** Callers that append one record after the other for a second. */
export async function load(
  callers: number,
  append: (record: NewRecord) => Promise<unknown>,
): Promise<{ rate: number; latencies: number[] }> {
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + MS_PER_ROUND;
  const caller = async () => {
    while (performance.now() < end) {
      const record = claimRecord();
      const at = performance.now();
      await append(record);
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { rate: (latencies.length * 1000) / (performance.now() - start), latencies };
}

/** Rounds of the log and of the bare file by turns, so that a machine that slows down slows both. */
export const append: Bench = {
  name: 'append',
  about: 'records per second into the embedded log, by concurrent callers',
  run: (say) =>
    inScratch(async (dir) => {
      const log = await openSqliteLog({ dir, role: 'writer', topics: counts });
      const bare = bareAppender(dir);
      const rows: BenchRow[] = [];
      for (const callers of CALLERS) {
        const ours: { rate: number; latencies: number[] }[] = [];
        const bareRates: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          ours.push(await load(callers, (record) => log.append(topics.session.name, [record])));
          bareRates.push((await load(1, async (record) => bare.append(record))).rate);
        }
        const latencies = ours.flatMap((o) => o.latencies);
        const baseline = { name: 'one bare fsynced insert after the other', value: percentile(bareRates, 0.5) };
        const note = `p50 ${percentile(latencies, 0.5).toFixed(2)} ms, p99 ${percentile(latencies, 0.99).toFixed(2)} ms`;
        rows.push(
          compared(
            `append, ${callers} callers`,
            percentile(
              ours.map((o) => o.rate),
              0.5,
            ),
            'records/s',
            baseline,
            note,
          ),
        );
        say(`${callers} callers: ${note}`);
      }
      bare.close();
      await log.close();
      return rows;
    }),
};
