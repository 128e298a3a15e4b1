import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { LedgerGenerations, ledgerDigest, rebuild, type Digest, type Generations } from '@doorledger/ledger';
import { carryKeys, openSqliteKeyStore } from '@doorledger/privacy';
import { openKeys } from '../../../host/src/open-truth.js';
import type { Parts } from '../parts.js';
import { progressOn } from '../progress.js';

/**
 * Brings the ledger of the data folder up to `upTo`, folds the one in the database from the cluster to the same places, and compares them.
 * A ledger that stays in the folder goes on where it is: its places are those of the moved log.
 * @throws DoorledgerError `ERR_MOVE_LEDGER`
 */
export async function carryLedger(
  { data, store }: DoorledgerConfig,
  parts: Parts,
  logs: { readonly from: EventLog; readonly to: EventLog },
  upTo: LogPositions,
): Promise<Digest> {
  const here = await foldedUpTo(new LedgerGenerations(data), logs.from, upTo);
  if (store === 'sqlite') return here;
  const there = await foldedUpTo(await parts.generations(), logs.to, upTo);
  if (there.sha256 !== here.sha256)
    throw new DoorledgerError(
      'ERR_MOVE_LEDGER',
      'The ledger in the database is not the one of the data folder. If "doorledger verify" finds the folder sound, the database holds another ledger: name an empty one, and move again.',
    );
  return there;
}

async function foldedUpTo(generations: Generations, log: EventLog, upTo: LogPositions): Promise<Digest> {
  const { store } = await generations.openLive();
  const progress = progressOn(process.stderr, 'ledger');
  try {
    await rebuild({ log, store, upTo, onProgress: ({ done, total }) => progress.update(done, total) });
    return await store.snapshot((db) => ledgerDigest(db));
  } finally {
    progress.stop();
    await store.close();
  }
}

/** Copies the content keys to the database, if the hosts are to have them there. Returns how many there are. @throws ContentError `ERR_KEYS_DIFFER` */
export async function carryContentKeys(config: DoorledgerConfig, parts: Parts): Promise<number> {
  const from = openSqliteKeyStore(config.data, { mayCreate: false });
  try {
    if (config.store === 'sqlite') return 0;
    const to = await openKeys(config, true, parts);
    return await carryKeys(from, to).finally(() => to.close());
  } finally {
    await from.close();
  }
}
