import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { confirm } from '../confirm.js';
import { upkeep } from '../upkeep.js';

/**
 * Lists the keys that stand still, a line each; with `--key` treats the record that blocks one as void, on the operator's word (L8).
 * @throws UpkeepError `ERR_NOT_FOUND`, `ERR_LEDGER_BEHIND`, `ERR_LOG_UNAVAILABLE`; DoorledgerError `ERR_NOT_CONFIRMED`
 */
export async function repair(context: CommandContext, options: Options): Promise<ExitCode> {
  const { output, say } = context;
  if (typeof options.key !== 'string') {
    const { blocked } = await upkeep(context, 'blocked', {});
    for (const one of blocked) await output.json(one);
    say(
      blocked.length === 0
        ? 'No session is blocked.'
        : `${blocked.length} blocked: doorledger repair --key KEY treats what blocks one as void.`,
    );
    return 0;
  }
  say('The record that blocks this key will count as void for ever: whatever it said did not happen.');
  await confirm(options, 'repair');
  await output.json(await upkeep(context, 'repair', { key: options.key }));
  return 0;
}
