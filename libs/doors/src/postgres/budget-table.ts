import { DoorledgerError } from '@doorledger/contracts';
import type { SchemaPart } from '@doorledger/postgres';

/**
 * The table of budgets. A row is rewritten with every turn of its key and is worth nothing after an hour, so it is not logged by the server:
 * a crash empties the table.
 */
export const budgetTable: SchemaPart = {
  name: 'budgets',
  steps: [
    `create unlogged table doorledger.turn_budget (
     user_key text collate "C" primary key, spent jsonb not null, last_minute bigint not null) with (fillfactor = 50)`,
  ],
  newer: (version, known) =>
    new DoorledgerError(
      'ERR_BUDGETS_NEWER',
      `The table of budgets in the database has version ${version} of a newer release; this one knows ${known}. Use that release.`,
    ),
};
