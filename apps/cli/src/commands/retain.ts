import { DoorledgerError } from '@doorledger/contracts';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { shortName, topicNamed } from '../topic-name.js';
import { upkeep } from '../upkeep.js';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Prints what would go, and with `--yes` what went (X3).
 * @throws DoorledgerError `ERR_NO_SUCH_AGE`, `ERR_NO_SUCH_TOPIC`; UpkeepError `ERR_INVALID_QUERY`, `ERR_LOG_UNAVAILABLE`
 */
export async function retain(context: CommandContext, options: Options): Promise<ExitCode> {
  const { output, say } = context;
  const topics = (options.topic as string[] | undefined)?.map((name) => topicNamed(name).name);
  const apply = options.yes === true;
  const done = await upkeep(context, 'retain', { olderThanMs: ageOf(options.olderThan as string), ...(topics && { topics }), apply });
  for (const { topic, partition, start, before, heldBy } of done.cuts) {
    if (before > start)
      say(`${shortName(topic)} partition ${partition}: offsets ${start} to ${before - 1} ${apply ? 'are gone' : 'would go'}.`);
    if (heldBy === 'content-in-use')
      say(`${shortName(topic)} partition ${partition}: what turns that wait, and grants in force, still need stays.`);
    if (heldBy === 'ledger') say(`${shortName(topic)} partition ${partition}: what the ledger has not read yet stays.`);
  }
  if (!apply) say('Nothing was cut: say --yes to do it.');
  await output.json(done);
  return 0;
}

/** Ms of `30d`, `12h` or `90m`. */
function ageOf(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count === undefined || Number(count) === 0)
    throw new DoorledgerError('ERR_NO_SUCH_AGE', '--older-than takes days, hours or minutes, such as 30d, 12h or 90m.');
  return Number(count) * UNIT_MS[unit!]!;
}
