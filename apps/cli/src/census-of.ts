import { MAX_PAGE, readCensusCheck, type LedgerStore, type LifeCheck } from '@doorledger/ledger';

const sums = ['issued', 'recorded', 'counted', 'pending', 'unknown', 'removed', 'doubled'] as const;

/** What all hosts' places come to (E12), with the lives that do not add up. */
export interface CensusSum extends Readonly<Record<(typeof sums)[number], number>> {
  readonly addsUp: boolean;
  readonly lives: number;
  readonly wrong: readonly LifeCheck[];
}

/** Checks the lives of all hosts in a ledger, as of its places. */
export function censusOf(store: LedgerStore): Promise<CensusSum> {
  return store.snapshot(async (db) => {
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
}
