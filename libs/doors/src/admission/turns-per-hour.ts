import type { AdmissionPolicy, AdmissionVerdict } from './admission.js';
import type { BudgetStore, Taken } from './budget-store.js';

export interface TurnsPerHourOptions {
  /** For each proven person. */
  readonly limit: number;
  /** For all callers together that nobody proved; 0 admits none. */
  readonly anonymousLimit: number;
  readonly store: BudgetStore;
  /** What a turn meets while the store does not answer (A3). There is no default: one loses turns, the other the limit. */
  readonly whenStoreDown: 'refuse' | 'allow';
  /** Told why the store did not answer. */
  readonly onStoreDown: (error: unknown) => void;
  /** Longest a turn waits for the store, in ms. */
  readonly timeoutMs?: number;
}

const allow: AdmissionVerdict = { kind: 'allow' };
const storeDown: AdmissionVerdict = {
  kind: 'refuse',
  sentence: 'The count of turns cannot be reached right now, and nothing is admitted without it.',
  retryAfterS: 5,
};

/** A person's key is hexadecimal, so no person is taken for this one. */
const EVERYBODY_ELSE = 'anonymous';

/** A3: a rolling hour for each proven person, and one for everybody else together. */
export function turnsPerHour(options: TurnsPerHourOptions): AdmissionPolicy {
  const { store, timeoutMs = 2_000 } = options;
  return {
    admit: async ({ principal, userKey }) => {
      const limit = principal ? options.limit : options.anonymousLimit;
      let taken: Taken;
      try {
        taken = await within(timeoutMs, store.take(principal ? userKey : EVERYBODY_ELSE, limit));
      } catch (error) {
        options.onStoreDown(error);
        return options.whenStoreDown === 'allow' ? allow : storeDown;
      }
      if (taken.isTaken) return allow;
      const whose = principal ? `${limit} turns per hour are` : `${limit} turns per hour for callers without a proven identity are`;
      return { kind: 'refuse', sentence: `The ${whose} used up.`, retryAfterS: taken.retryAfterS };
    },
  };
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
