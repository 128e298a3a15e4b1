import { LRUCache } from 'lru-cache';
import { MINUTES_COUNTED, secondsUntilPast, type BudgetStore } from './budget-store.js';

interface Spent {
  /** The minutes in which turns were taken, oldest first, and how many in each. */
  readonly minutes: { readonly minute: number; count: number }[];
  total: number;
}

/**
 * Budgets of one process. It remembers the `maxKeys` keys that asked last: past that, whoever has not asked for longest starts
 * anew.
 */
export function memoryBudgets({ maxKeys = 50_000, now = () => performance.now() } = {}): BudgetStore {
  const spentBy = new LRUCache<string, Spent>({ max: maxKeys });
  return {
    take: async (key, limit) => {
      const seconds = now() / 1000;
      const minute = Math.floor(seconds / 60);
      const spent = spentBy.get(key) ?? { minutes: [], total: 0 };
      const { minutes } = spent;
      while (minutes.length > 0 && minutes[0]!.minute <= minute - MINUTES_COUNTED) spent.total -= minutes.shift()!.count;
      if (spent.total >= limit) return { isTaken: false, retryAfterS: secondsUntilPast(minutes[0]?.minute ?? minute, seconds) };
      const last = minutes.at(-1);
      if (last?.minute === minute) last.count++;
      else minutes.push({ minute, count: 1 });
      spent.total++;
      spentBy.set(key, spent);
      return { isTaken: true };
    },
  };
}
