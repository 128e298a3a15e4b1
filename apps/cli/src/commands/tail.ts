import { factDocument, type EventLog, type LogPositions, type StoredRecord } from '@doorledger/event-log';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { factLine } from '../fact-line.js';
import type { Output } from '../output.js';
import { Parts } from '../parts.js';
import { StopSignals } from '../stop-signals.js';
import { startsOf, tailQuery, type TailQuery } from '../tail-options.js';

/** Facts in log order per partition. Ends at the end of the log with --no-follow, else by a signal or when nobody reads any more. */
export async function tail(context: CommandContext, options: Options): Promise<ExitCode> {
  const { output, say } = context;
  const query = tailQuery(options);
  output.refuseClosed();
  const signals = new StopSignals();
  const stopping = new AbortController();
  void signals.first.then(() => stopping.abort());
  const parts = new Parts(context, stopping.signal);
  try {
    const log = await parts.log();
    const print = printerTo(output, query);
    const starts = await startsOf(log, query);
    if (!query.isFollowing) await readOnce(log, starts, print, output);
    else {
      if (output.isTerminal) say('Waiting for facts; Ctrl-C ends it.');
      const subscription = log.follow(starts, async ({ records }) => {
        for (const record of records) await print(record);
      });
      try {
        await Promise.race([subscription.failed, signals.first, aborted(output.gone)]);
      } finally {
        await subscription.close();
      }
    }
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    throw error;
  } finally {
    signals.release();
    await parts.close();
  }
}

function printerTo(output: Output, query: TailQuery): (record: StoredRecord) => Promise<void> {
  const isColoured = output.isTerminal && !process.env.NO_COLOR;
  return async (record) => {
    if (!query.wants(record.decoded.type)) return;
    await (output.isTerminal ? output.line(factLine(record, isColoured)) : output.json(factDocument(record)));
  };
}

async function readOnce(
  log: EventLog,
  starts: LogPositions,
  print: (record: StoredRecord) => Promise<void>,
  output: Output,
): Promise<void> {
  for (const [topic, from] of Object.entries(starts))
    for await (const { records } of log.read(topic, from))
      for (const record of records) {
        if (output.gone.aborted) return;
        await print(record);
      }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
