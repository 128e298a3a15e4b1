import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { LedgerGenerations, projectedTopics, rebuild } from '@doorledger/ledger';
import type { Bench } from '../row.js';
import { inScratch } from '../scratch.js';
import { FACTS, FACTS_PER_TURN, writeTurns } from '../turns.js';

/** Folds a log of a million facts into a new generation of tables. */
export const replay: Bench = {
  name: 'replay',
  about: `${FACTS.toLocaleString('en')} facts from the log's start into a new generation`,
  run: (say) =>
    inScratch(async (dir) => {
      const log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
      await writeTurns(log, { turns: FACTS / FACTS_PER_TURN, say });
      const readAt = performance.now();
      let read = 0;
      for (const topic of projectedTopics)
        for await (const { records } of log.read(
          topic,
          Array.from({ length: log.topics.get(topic)! }, () => 0),
        ))
          read += records.length;
      const readRate = (read * 1000) / (performance.now() - readAt);
      const { store } = new LedgerGenerations(dir).openNext();
      const upTo = Object.fromEntries(
        await Promise.all(projectedTopics.map(async (t) => [t, (await log.ends(t)).map(({ end }) => end)] as const)),
      );
      const startedAt = performance.now();
      await rebuild({ log, store, upTo });
      const rate = (read * 1000) / (performance.now() - startedAt);
      await store.close();
      await log.close();
      const baseline = { name: 'reading the same log and throwing it away', value: readRate };
      return [
        { name: 'replay', value: rate, unit: 'facts/s', baseline, ratio: rate / readRate, note: `${read.toLocaleString('en')} facts` },
      ];
    }),
};
