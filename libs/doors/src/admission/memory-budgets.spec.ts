import fc from 'fast-check';
import { memoryBudgets } from './memory-budgets.js';
import { budgetStoreContract } from './testing/budget-store.contract.js';

budgetStoreContract('memory', async () => {
  let now = 12_345_678;
  return {
    store: memoryBudgets({ now: () => now }),
    pass: async (minutes) => void (now += minutes * 60_000),
  };
});

it('A3 never admits more than the limit in any hour, whenever turns are asked for, and admits again after 61 minutes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat({ max: 1_500_000 }), { maxLength: 60 }), async (limit, gaps) => {
      let now = 0;
      const store = memoryBudgets({ now: () => now });
      const admitted: number[] = [];
      for (const gap of gaps) {
        now += gap;
        const recent = admitted.filter((at) => now - at < 3_600_000).length;
        const { isTaken } = await store.take('ada', limit);
        if (isTaken) expect(recent).toBeLessThan(limit);
        else expect(admitted.filter((at) => now - at <= 61 * 60_000).length).toBeGreaterThanOrEqual(limit);
        if (isTaken) admitted.push(now);
      }
    }),
  );
});

it('A3 remembers the keys that asked last, and no more of them than it may', async () => {
  const store = memoryBudgets({ maxKeys: 2, now: () => 0 });
  const isTaken = async (key: string) => (await store.take(key, 1)).isTaken;
  expect([await isTaken('a'), await isTaken('b'), await isTaken('a'), await isTaken('c')]).toEqual([true, true, false, true]);
  expect([await isTaken('a'), await isTaken('b')]).toEqual([false, true]);
});
