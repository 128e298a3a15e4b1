import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordBatch } from '@doorledger/event-log';
import { ledgerDigest } from '../digest.js';
import { Projector } from '../projector.js';
import { openSqliteLedger } from '../sqlite/sqlite-store.js';
import type { LedgerStore } from '../store.js';
import { SampleLog } from './sample-log.js';

const opened: { store: LedgerStore; dir: string }[] = [];

/** A ledger in a folder of its own; `closeTemporaryLedgers` takes it away. */
export function temporaryLedger(): LedgerStore {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-ledger-'));
  const store = openSqliteLedger(join(dir, 'ledger.1.db'));
  opened.push({ store, dir });
  return store;
}

/** What a spec of queries works with: an empty log and the ledger that is to be made of it. */
export const logAndLedger = (): { log: SampleLog; store: LedgerStore } => ({ log: new SampleLog(), store: temporaryLedger() });

export async function closeTemporaryLedgers(): Promise<void> {
  for (const { store, dir } of opened.splice(0)) {
    await store.close();
    rmSync(dir, { recursive: true });
  }
}

/** Projects batches one after the other. */
export async function project(store: LedgerStore, log: SampleLog, batches: readonly RecordBatch[] = log.batches()): Promise<void> {
  const projector = await Projector.open({ store, topics: log.topics, gatherMs: 0 });
  for (const batch of batches) await projector.take(batch);
  await projector.close();
}

export const digestOf = async (store: LedgerStore): Promise<string> => (await store.snapshot((db) => ledgerDigest(db))).sha256;
