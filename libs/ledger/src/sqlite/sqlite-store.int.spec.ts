import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerStoreContract } from '../testing/ledger-store.contract.js';
import { openSqliteLedger } from './sqlite-store.js';

ledgerStoreContract('sqlite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-ledger-'));
  const path = join(dir, 'ledger.1.db');
  let store = openSqliteLedger(path);
  return {
    store,
    reopen: async () => {
      await store.close();
      return (store = openSqliteLedger(path));
    },
    dispose: async () => {
      await store.close();
      rmSync(dir, { recursive: true });
    },
  };
});
