import type { DoorledgerConfig } from '@doorledger/config';
import { makeAdmission, memoryBudgets, turnsPerHour, type Admit, type BudgetStore } from '@doorledger/doors';
import type { Logger } from '@doorledger/observability';
import { whenThere } from './open-ledger.js';
import type { Opening } from './service.js';

/**
 * A3: the limit of turns per hour, where one is set. With one database its count is shared by all hosts.
 * @throws DoorledgerError `ERR_BUDGETS_NEWER`, `ERR_DATABASE_REFUSED`
 */
export async function openAdmission(
  { admission, store, databaseUrl: url = '' }: DoorledgerConfig,
  opening: Pick<Opening, 'onWaiting' | 'signal' | 'keep'>,
  logger: Logger,
): Promise<Admit | undefined> {
  const { turnsPerHour: limit, anonymousTurnsPerHour: anonymousLimit = limit, whenStoreDown = 'refuse' } = admission;
  if (limit === undefined || anonymousLimit === undefined) return undefined;
  const policy = turnsPerHour({
    limit,
    anonymousLimit,
    whenStoreDown,
    store: store === 'sqlite' ? memoryBudgets() : await sharedBudgets(url, opening),
    onStoreDown: (err) => logger.warn({ err }, 'The count of turns cannot be reached.'),
  });
  return makeAdmission(policy);
}

async function sharedBudgets(url: string, opening: Pick<Opening, 'onWaiting' | 'signal' | 'keep'>): Promise<BudgetStore> {
  const { openPostgresPool, reached } = await import('@doorledger/ledger/postgres');
  const { openPostgresBudgets } = await import('@doorledger/doors/postgres');
  return whenThere(async () => {
    const pool = openPostgresPool({ url, role: 'budgets' });
    try {
      const budgets = await reached(() => openPostgresBudgets(pool));
      opening.keep({ close: () => pool.end() });
      return budgets;
    } catch (error) {
      await pool.end();
      throw error;
    }
  }, opening);
}
