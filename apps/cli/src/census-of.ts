import { MAX_PAGE, readCensusCheck, type Generations, type LifeCheck } from '@doorledger/ledger';

const sums = ['issued', 'recorded', 'counted', 'pending', 'unknown', 'removed', 'doubled'] as const;

/** What all hosts' places come to (E12), with the lives that do not add up. */
export interface CensusSum extends Readonly<Record<(typeof sums)[number], number>> {
  readonly addsUp: boolean;
  readonly lives: number;
  readonly wrong: readonly LifeCheck[];
}

/** Checks the lives of all hosts in the live ledger, as of its places. */
export async function censusOf(generations: Generations): Promise<CensusSum> {
  const { store } = await generations.openLiveReader();
  try {
    return await store.snapshot(async (db) => {
      const total = Object.fromEntries(sums.map((name) => [name, 0])) as Record<(typeof sums)[number], number>;
      const wrong: LifeCheck[] = [];
      let lives = 0;
      let cursor: string | undefined;
      do {
        const page = await readCensusCheck(db, { limit: MAX_PAGE, ...(cursor !== undefined && { cursor }) });
        for (const life of page.items) {
          lives++;
          for (const name of sums) total[name] += life[name];
          if (!life.addsUp) wrong.push(life);
        }
        ({ cursor } = page);
      } while (cursor !== undefined);
      return { addsUp: wrong.length === 0, lives, ...total, wrong };
    });
  } finally {
    await store.close();
  }
}
