import { DoorledgerError, topics } from '@doorledger/contracts';
import { factDocument, type EventLog } from '@doorledger/event-log';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import type { TypedFormat } from '../export/duckdb/typed-files.js';
import { Parts } from '../parts.js';
import { startsOf, tailQuery, type TailQuery } from '../tail-options.js';
import { WrittenAside } from '../written-aside.js';

/**
 * Facts of public topics up to where the log ends now: one JSON document per line as `tail` prints them, or files with typed columns. A file
 * has its name only once it is whole (X4).
 * @throws DoorledgerError `ERR_NOT_PUBLIC`, `ERR_NO_SUCH_TOPIC`, `ERR_NO_SUCH_PLACE`, `ERR_EXPORT_FILE`
 */
export async function exportFacts(context: CommandContext, options: Options): Promise<ExitCode> {
  const query = queryOf(options);
  if (options.out === undefined) context.output.refuseClosed();
  const parts = new Parts(context);
  try {
    const log = await parts.log();
    if (options.format === 'jsonl') await exportLines(context, log, query, options.out);
    else await exportFiles(context, log, query, options);
    return 0;
  } finally {
    await parts.close();
  }
}

/** Typed files are read by queries, which want the derived feed of consents too. */
function queryOf({ topic, from, format }: Options): TailQuery {
  const query = tailQuery({ topic, from, follow: false });
  refusePrivate(query);
  const isWhole = topic === undefined && query.from.at !== 'position' && format !== 'jsonl';
  return isWhole ? { ...query, topics: Object.values(topics).filter(({ visible }) => visible === 'public') } : query;
}

async function exportLines({ output, say }: CommandContext, log: EventLog, query: TailQuery, out: unknown): Promise<void> {
  const file = typeof out === 'string' ? await WrittenAside.open(out) : undefined;
  try {
    let records = 0;
    for (const [topic, from] of Object.entries(await startsOf(log, query)))
      for await (const batch of log.read(topic, from)) {
        for (const record of batch.records) await (file ?? output).line(JSON.stringify(factDocument(record)));
        records += batch.records.length;
        if (output.gone.aborted) return;
      }
    if (!file) return;
    await file.finish();
    say(`Wrote ${records} facts.`);
  } finally {
    await file?.discard();
  }
}

async function exportFiles({ say }: CommandContext, log: EventLog, query: TailQuery, { format, out }: Options): Promise<void> {
  const { exportTyped } = await import('../export/export-typed.js');
  const { facts, files, unreadable } = await exportTyped(log, query, format as TypedFormat, out);
  say(`Wrote ${facts} facts into ${files} files.`);
  if (unreadable > 0) say(`Records that are no facts: ${unreadable}. unreadable.${String(format)} says where they lie.`);
}

/** What leaves the deployment names nobody and quotes nobody (O8). */
function refusePrivate({ topics }: TailQuery): void {
  if (topics.some(({ visible }) => visible === 'private'))
    throw new DoorledgerError('ERR_NOT_PUBLIC', 'Only public topics can be exported: name one that `doorledger topics` calls public.');
}
