import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DoorledgerError } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { progressOn } from '../progress.js';
import { startsOf, type TailQuery } from '../tail-options.js';
import { named } from '../written-aside.js';
import { TypedFiles, type TypedFormat } from './duckdb/typed-files.js';
import { FolderAside } from './folder-aside.js';
import { UNREADABLE, rowOf, tablesOf } from './rows.js';

export interface Exported {
  readonly facts: number;
  readonly files: number;
  readonly unreadable: number;
}

/**
 * Facts up to where the log ends now as files with typed, named columns, one for each kind of fact, in a new folder.
 * @throws DoorledgerError `ERR_EXPORT_FILE`, `ERR_NO_SUCH_PLACE`
 */
export async function exportTyped(log: EventLog, query: TailQuery, format: TypedFormat, out: unknown): Promise<Exported> {
  if (typeof out !== 'string')
    throw new DoorledgerError('ERR_EXPORT_FILE', 'Parquet and CSV are a file for each kind of fact: name a folder for them with --out.');
  const folder = await FolderAside.open(out);
  try {
    const tables = tablesOf(query.topics);
    const files = await named(() => TypedFiles.open(folder.aside, tables));
    try {
      const counts = await fill(files, log, query);
      const written = await named(() => files.write(folder.aside, format));
      files.close();
      for (const part of ['tables.duckdb', 'spill']) await rm(join(folder.aside, part), { recursive: true, force: true });
      await folder.finish(written);
      return { ...counts, files: written.length };
    } finally {
      files.close();
    }
  } finally {
    await folder.discard();
  }
}

async function fill(files: TypedFiles, log: EventLog, query: TailQuery): Promise<Pick<Exported, 'facts' | 'unreadable'>> {
  const progress = progressOn(process.stderr, 'export');
  const starts = Object.entries(await startsOf(log, query));
  let total = 0;
  for (const [topic, from] of starts)
    for (const [partition, { end }] of (await log.ends(topic)).entries()) total += Math.max(0, end - from[partition]!);
  let [facts, unreadable] = [0, 0];
  try {
    for (const [topic, from] of starts)
      for await (const { records } of log.read(topic, from)) {
        const rows = records.map(rowOf);
        await named(async () => rows.forEach((row) => files.add(row)));
        const broken = rows.filter(({ table }) => table === UNREADABLE).length;
        facts += rows.length - broken;
        unreadable += broken;
        progress.update(facts + unreadable, Math.max(total, facts + unreadable));
      }
  } finally {
    progress.stop();
  }
  return { facts, unreadable };
}
