import { DoorledgerError } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import { handOver, LogRefusedError } from '@doorledger/event-log';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { confirm } from '../confirm.js';
import { carryAll, endsOf, reachesPast, recordsUpTo, refuseDifference, startOf } from '../moving/copy.js';
import { carryContentKeys, carryLedger } from '../moving/ledger.js';
import { checkWhole, openSource, refuseCutStart, sourceIdentity } from '../moving/source.js';
import { openForCarrying, openForUse, openTarget, targetTopics } from '../moving/target.js';
import { Parts } from '../parts.js';
import { progressOn } from '../progress.js';

/**
 * Carries the log of the data folder to Kafka, where it goes on as the same log (X5). Each step can be repeated: what is there is compared and
 * gone on from. The folder's log is refused from the record on that says where it went; the cluster's can be started only after all of it is
 * there, compared, and its topics are set up for use.
 * @throws LogRefusedError, DoorledgerError: until the log was handed over nothing of it has changed
 */
export async function move(context: CommandContext, options: Options): Promise<ExitCode> {
  const { config, output, say } = context;
  refuseOtherSettings(config);
  const parts = new Parts(context);
  try {
    const from = await openSource(config, parts);
    const to = parts.keep(await openTarget(config, parts));
    const moving = await sourceIdentity(config, from, to.place);
    const outcome = { logId: moving.identity.logId, from: from.place, to: to.place };
    const [ends, there] = [await endsOf(from), await endsOf(to)];
    if (reachesPast(there, ends)) {
      if (!moving.isHandedOver) throw otherLog();
      say('This log was moved there before, and has gone on since: there is nothing to do.');
      await output.json({ ...outcome, isMoved: false });
      return 0;
    }
    await refuseCutStart(from);
    await checkWhole(config.data);
    await refuseDifference(from, to, startOf(from), there);
    say(
      `${recordsUpTo(ends)} records go from ${config.data} to Kafka cluster ${to.place}, and the log with them: the folder's is refused afterwards.`,
    );
    await confirm(options, 'move --to kafka');

    const progress = progressOn(process.stderr, 'move');
    let carried = recordsUpTo(there);
    const onCarried = (records: number) => progress.update((carried += records), recordsUpTo(ends));
    const carry = { connection: targetTopics(config).connection, from, to, onCarried, signal: parts.signal };
    if (!moving.isHandedOver || reachesPast(ends, there)) await openForCarrying(config, parts);
    await carryAll(carry).finally(() => progress.stop());
    await refuseDifference(from, to, there, ends);
    const keys = await carryContentKeys(config, parts);
    const ledger = await carryLedger(config, parts, { from, to }, ends);

    if (!moving.isHandedOver)
      await handOver(from, moving, to.place, { source: `/doorledger/${config.deployment}/operator`, now: Date.now });
    const last = await endsOf(from);
    await carryAll({ ...carry, onCarried: undefined });
    await refuseDifference(from, to, ends, last);
    await openForUse(config, parts);
    await output.json({ ...outcome, isMoved: true, records: recordsUpTo(last), keys, ledger, positions: ends });
    say('The log is on Kafka. Start hosts and projectors with these settings; keep the folder until you have seen them run.');
    return 0;
  } finally {
    await parts.close();
  }
}

/** The command reads the settings that hosts are to have afterwards. */
function refuseOtherSettings({ log, kafka }: DoorledgerConfig): void {
  if (log === 'kafka' && kafka.partitions === 'embedded') return;
  throw new DoorledgerError(
    'ERR_MOVE_SETTINGS',
    'Give the settings that hosts will have: log: kafka, kafka.brokers, kafka.partitions: embedded, key (that of the folder’s deployment.key), mostly store: postgres with databaseUrl; `data` is the folder to move.',
  );
}

const otherLog = () =>
  new LogRefusedError(
    'ERR_MOVE_DIFFERS',
    'The doorledger topics on that cluster hold more than this log: they are of another one. Nothing was moved. Name another cluster.',
  );
