import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { filesOf } from '../data-folder.js';

/** One thing that a data folder keeps. */
export interface Kept {
  readonly where: string;
  readonly bytes: Uint8Array | string;
}

/** Everything in the data folder of a process that has ended: records of all topics, columns of all tables, and the files themselves. */
export async function keptIn(dir: string): Promise<Kept[]> {
  return [
    ...(await records(dir)),
    ...filesOf(dir).flatMap((file) => [...(file.endsWith('.db') ? columns(file) : []), { where: file, bytes: readFileSync(file) }]),
  ];
}

/** Keys, headers and values of every record. */
async function records(dir: string): Promise<Kept[]> {
  const topics = partitionCounts('embedded');
  const log = await openSqliteLog({ dir, role: 'reader', topics });
  const kept: Kept[] = [];
  for (const [topic, partitions] of topics)
    for await (const batch of log.read(topic, Array<number>(partitions).fill(0)))
      for (const { partition, offset, key, headers, value } of batch.records) {
        const where = `${topic}:${partition}:${offset}`;
        kept.push(
          { where: `${where} key`, bytes: key },
          { where: `${where} headers`, bytes: JSON.stringify(headers) },
          { where, bytes: value ?? '' },
        );
      }
  await log.close();
  return kept;
}

/** Each value of each table. */
function columns(file: string): Kept[] {
  const db = new Database(file, { readonly: true });
  try {
    const tables = db.prepare<[], { name: string }>(`select name from sqlite_master where type = 'table'`).all();
    return tables.flatMap(({ name }) =>
      db
        .prepare<[], Record<string, unknown>>(`select * from "${name}"`)
        .all()
        .flatMap((row) =>
          Object.entries(row).map(([column, value]) => ({
            where: `${file} ${name}.${column}`,
            bytes: value instanceof Uint8Array ? value : String(value),
          })),
        ),
    );
  } finally {
    db.close();
  }
}
