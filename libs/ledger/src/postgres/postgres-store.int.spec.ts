import { ledgerStoreContract } from '../testing/ledger-store.contract.js';
import { PostgresGenerations } from './generations.js';
import { openPostgresLedger } from './postgres-store.js';
import { specDatabases } from './testing/spec-database.js';

const newDatabase = specDatabases();

ledgerStoreContract('postgres', async () => {
  const address = { url: await newDatabase() };
  const generations = await PostgresGenerations.open(address);
  const { store: first, generation } = await generations.openLive();
  await generations.close();
  let store = first;
  return {
    store,
    reopen: async () => {
      await store.close();
      return (store = openPostgresLedger({ address, generation }));
    },
    dispose: () => store.close(),
  };
});
