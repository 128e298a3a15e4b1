import { DoorledgerError } from '@doorledger/contracts';
import { factDocument } from '@doorledger/event-log';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { Parts } from '../parts.js';
import { startsOf, tailQuery, type TailQuery } from '../tail-options.js';
import { WrittenAside } from '../written-aside.js';

/**
 * Facts of public topics up to where the log ends now, one JSON document per line as `tail` prints them: to stdout, or to a file that has
 * its name only once it is whole (X4).
 * @throws DoorledgerError `ERR_NOT_PUBLIC`, `ERR_NO_SUCH_TOPIC`, `ERR_NO_SUCH_PLACE`, `ERR_EXPORT_FILE`
 */
export async function exportFacts(context: CommandContext, options: Options): Promise<ExitCode> {
  const { output, say } = context;
  const query = tailQuery({ topic: options.topic, from: options.from, follow: false });
  refusePrivate(query);
  const parts = new Parts(context);
  const file = typeof options.out === 'string' ? await WrittenAside.open(options.out) : undefined;
  try {
    const log = await parts.log();
    let records = 0;
    for (const [topic, from] of Object.entries(await startsOf(log, query)))
      for await (const batch of log.read(topic, from)) {
        for (const record of batch.records) await (file ?? output).line(JSON.stringify(factDocument(record)));
        records += batch.records.length;
        if (output.gone.aborted) return 0;
      }
    if (!file) return 0;
    await file.finish();
    say(`Wrote ${records} facts.`);
    return 0;
  } finally {
    await file?.discard();
    await parts.close();
  }
}

/** What leaves the deployment names nobody and quotes nobody (O8). */
function refusePrivate({ topics }: TailQuery): void {
  if (topics.some(({ visible }) => visible === 'private'))
    throw new DoorledgerError('ERR_NOT_PUBLIC', 'Only public topics can be exported: name one that `doorledger topics` calls public.');
}
