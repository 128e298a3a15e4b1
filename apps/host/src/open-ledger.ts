import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError } from '@doorledger/contracts';
import { LedgerGenerations, type Generations } from '@doorledger/ledger';
import type { Reached } from './naming.js';
import type { Opening } from './service.js';

const LOOK_EVERY_MS = 1000;

/**
 * The ledger's generations where the configuration says. A database that does not answer is waited for (K15); its driver is
 * loaded only where it is used.
 * @throws LedgerError `ERR_DATABASE_ADDRESS`, `ERR_DATABASE_REFUSED`, `ERR_LEDGER_NEWER`
 */
export async function openGenerations(
  { store, data, databaseUrl: url = '' }: DoorledgerConfig,
  opening: Pick<Opening, 'onWaiting' | 'signal' | 'keep'>,
): Promise<Generations> {
  if (store === 'sqlite') return new LedgerGenerations(data);
  const { PostgresGenerations } = await import('@doorledger/ledger/postgres');
  return opening.keep(await whenThere(() => PostgresGenerations.open({ url }), opening));
}

/** Names the outages of the ledger's database (see `naming`); a file has none. */
export async function reachingOf({ store }: Pick<DoorledgerConfig, 'store'>): Promise<Reached> {
  if (store === 'sqlite') return (ask) => ask();
  return (await import('@doorledger/ledger/postgres')).reached;
}

const AWAY: readonly string[] = ['ERR_DATABASE_AWAY', 'ERR_LOG_UNREACHABLE'];

/** Asks until the database, or the cluster, answers. Who is told to end waits for no answer. */
export async function whenThere<T>(ask: () => Promise<T>, { onWaiting, signal }: Pick<Opening, 'onWaiting' | 'signal'>): Promise<T> {
  const isOver = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));
  isOver.catch(() => {});
  for (;;) {
    try {
      return await Promise.race([ask(), isOver]);
    } catch (error) {
      if (!(error instanceof DoorledgerError) || !AWAY.includes(error.code)) throw error;
      onWaiting(error.message);
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
