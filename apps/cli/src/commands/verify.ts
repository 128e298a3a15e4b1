import { verifySqliteLog, type EventLog } from '@doorledger/event-log';
import { startsOf } from '@doorledger/ledger';
import { Scratch, placeText, verifyLog, type LogVerified, type Violation } from '@doorledger/proof';
import { censusOf } from '../census-of.js';
import { checkpointsOf, type CheckpointsChecked } from '../checkpoints-of.js';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { ledgerBeside } from '../ledger-beside.js';
import { Parts } from '../parts.js';
import { progressOn } from '../progress.js';

/**
 * Checks in this order: the signatures of the checkpoints, each record of the log by its checksum and the file's structure (K6; on Kafka
 * checksums are the brokers' work), everything that is stated of the records and their chains (V1, V2), that the ledger's places lie
 * on the log (K8), that the ledger equals a replay from the log's start, and that the places of every host's life add up (E12). The
 * first violated statement ends it with its sentence and 1.
 */
export async function verify(context: CommandContext, options: Options): Promise<ExitCode> {
  const { config, output, say } = context;
  const parts = new Parts(context);
  const violated = async (violation: Violation, found: object): Promise<ExitCode> => {
    await output.json({ isSound: false, violation, ...found });
    say(`${violation.sentence}${violation.positions.length > 0 ? ` (${violation.positions.map(placeText).join(', ')})` : ''}`);
    return 1;
  };
  try {
    const scratch = new Scratch();
    parts.keep({ close: async () => scratch.close() });
    const checkpoints = await checkpointsOf(context, options, scratch);
    if (checkpoints.violation) return await violated(checkpoints.violation, {});
    if (config.log === 'sqlite') await checkRecords(config.data);
    const log = await parts.log();
    const { violation, ...checked } = await checkLog(log, scratch);
    const found = foundOf(checkpoints, checked);
    if (violation) return await violated(violation, found);
    const { store, replayed } = await ledgerBeside(context, parts, log);
    if (replayed) await startsOf(log, replayed.positions);
    const census = await censusOf(store);
    const isSound = replayed?.isEqual !== false && census.addsUp;
    await output.json({ isSound, ...found, ...replayed, census });
    if (!replayed) say('There is no ledger here: nothing was compared with a replay.');
    if (replayed?.isEqual === false) say('The ledger is not what the log says: doorledger replay --switch mends it.');
    else if (!census.addsUp) say('The doors’ records do not add up: GET /v1/census/check names the host whose count is wrong.');
    return isSound ? 0 : 1;
  } finally {
    await parts.close();
  }
}

const foundOf = ({ checkpoints, keys }: CheckpointsChecked, { records, covered }: LogVerified) => ({
  records,
  checkpoints: { read: checkpoints, covered, keys },
});

async function checkRecords(dir: string): Promise<void> {
  const progress = progressOn(process.stderr, 'log');
  try {
    await verifySqliteLog(dir, ({ checked, total }) => progress.update(checked, total));
  } finally {
    progress.stop();
  }
}

async function checkLog(log: EventLog, scratch: Scratch): Promise<LogVerified> {
  const progress = progressOn(process.stderr, 'proof');
  try {
    return await verifyLog({ log, scratch, onProgress: (done, total) => progress.update(done, Math.max(done, total)) });
  } finally {
    progress.stop();
  }
}
