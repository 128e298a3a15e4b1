import { verifySqliteLog, type EventLog } from '@doorledger/event-log';
import { startsOf } from '@doorledger/ledger';
import type { CommandContext, ExitCode } from '../command-context.js';
import { Parts } from '../parts.js';
import { censusOf } from '../census-of.js';
import { progressOn } from '../progress.js';
import { replayBeside } from '../replay-beside.js';

/**
 * Checks in this order: each record of the log and the file's structure (K6; on Kafka that each record can be
 * read: checksums are the brokers' work), that the ledger's places lie on the log (K8), and that
 * the ledger equals a replay from the log's start (V2), and that the places of every host's life add up (E12). The first violated statement ends it with its sentence and 1.
 */
export async function verify(context: CommandContext): Promise<ExitCode> {
  const { config, output, say } = context;
  const parts = new Parts(context);
  try {
    const inFile = config.log === 'sqlite' ? await checkedRecords(config.data) : undefined;
    const log = await parts.log();
    const records = inFile ?? (await readableRecords(log));
    const generations = await parts.generations();
    parts.keep(await generations.holdBuilding());
    // What an interrupted replay left would be gone on with: this one starts at the log's start.
    await generations.discard(((await generations.live) ?? 0) + 1);
    const { live, rebuilt, isEqual, positions } = await replayBeside(log, generations, say);
    await generations.discard(rebuilt.generation);
    await startsOf(log, positions);
    const census = await censusOf(generations);
    const isSound = isEqual && census.addsUp;
    await output.json({ isSound, records, live, rebuilt, positions, census });
    if (!isEqual) say('The ledger is not what the log says: doorledger replay --switch mends it.');
    else if (!census.addsUp) say('The doors’ records do not add up: GET /v1/census/check names the host whose count is wrong.');
    return isSound ? 0 : 1;
  } finally {
    await parts.close();
  }
}

async function checkedRecords(dir: string): Promise<number> {
  const progress = progressOn(process.stderr, 'log');
  try {
    return await verifySqliteLog(dir, ({ checked, total }) => progress.update(checked, total));
  } finally {
    progress.stop();
  }
}

async function readableRecords(log: EventLog): Promise<number> {
  const progress = progressOn(process.stderr, 'log');
  const ranges = await Promise.all([...log.topics.keys()].map(async (topic) => [topic, await log.ends(topic)] as const));
  const total = ranges.flatMap(([, ofTopic]) => ofTopic).reduce((sum, { start, end }) => sum + end - start, 0);
  let read = 0;
  try {
    for (const [topic, ofTopic] of ranges)
      for await (const { records } of log.read(
        topic,
        ofTopic.map(({ start }) => start),
      ))
        progress.update((read += records.length), Math.max(total, read));
    return read;
  } finally {
    progress.stop();
  }
}
