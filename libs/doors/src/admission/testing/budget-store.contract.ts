import type { BudgetStore } from '../budget-store.js';

export interface BudgetStoreFixture {
  readonly store: BudgetStore;
  /** Lets so many minutes pass for what was taken so far. */
  pass(minutes: number): Promise<void>;
}

/** What every store of budgets keeps. */
export function budgetStoreContract(name: string, open: () => Promise<BudgetStoreFixture>): void {
  describe(`${name} keeps budgets`, () => {
    let store: BudgetStore;
    let pass: BudgetStoreFixture['pass'];
    beforeEach(async () => {
      ({ store, pass } = await open());
    });
    /** How many of `asks` turns were admitted. */
    const admitted = async (key: string, limit: number, asks: number): Promise<number> => {
      const taken = await Promise.all(Array.from({ length: asks }, () => store.take(key, limit)));
      return taken.filter(({ isTaken }) => isTaken).length;
    };

    it('A3 admits as many turns as the limit says, and exactly so many of those that race', async () => {
      expect(await admitted('ada', 5, 40)).toBe(5);
      expect(await admitted('ada', 5, 1)).toBe(0);
      expect(await admitted('ada', 7, 40)).toBe(2);
    });

    it('A3 keeps a budget of its own for each key', async () => {
      expect(await admitted('ada', 2, 3)).toBe(2);
      expect(await admitted('bob', 2, 3)).toBe(2);
    });

    it('A3 admits nobody under a limit of 0', async () => {
      expect(await store.take('ada', 0)).toMatchObject({ isTaken: false });
      expect(await store.take('ada', 1)).toMatchObject({ isTaken: true });
    });

    it('A3 rolls: what was taken in an hour counts in all of it, and not for long after', async () => {
      expect(await admitted('ada', 4, 3)).toBe(3);
      await pass(40);
      expect(await admitted('ada', 4, 3)).toBe(1);
      // A store may go by a clock of its own, and a minute of that may begin at any place here.
      await pass(19);
      expect(await admitted('ada', 4, 3)).toBe(0);
      await pass(2);
      expect(await admitted('ada', 4, 4)).toBe(3);
      await pass(59);
      expect(await admitted('ada', 4, 9)).toBe(1);
      await pass(61);
      expect(await admitted('ada', 4, 9)).toBe(4);
    });

    it('A3 says when the next turn will be admitted, and counts nothing for what it refuses', async () => {
      await admitted('ada', 3, 1);
      await pass(30);
      await admitted('ada', 3, 2);
      for (let asked = 0; asked < 5; asked++) {
        const refused = await store.take('ada', 3);
        expect(refused).toEqual({ isTaken: false, retryAfterS: expect.any(Number) });
        const { retryAfterS } = refused as { retryAfterS: number };
        expect(retryAfterS).toBeGreaterThan(29 * 60);
        expect(retryAfterS).toBeLessThanOrEqual(31 * 60);
      }
      await pass(31);
      expect(await admitted('ada', 3, 3)).toBe(1);
    });
  });
}
