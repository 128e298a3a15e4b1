import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { upkeep } from '../upkeep.js';

/**
 * Prints the receipt once what was said can never be read again (X2).
 * @throws UpkeepError `ERR_INVALID_QUERY`, `ERR_NOT_FOUND`, `ERR_LEDGER_BEHIND`, `ERR_LOG_UNAVAILABLE`
 */
export async function erase(context: CommandContext, { session, tenant, sessionRef, user }: Options): Promise<ExitCode> {
  await context.output.json(await upkeep(context, 'erase', { session, tenant, sessionRef, userRef: user }));
  return 0;
}
