import type { AdmissionAsk } from './admission.js';
import type { BudgetStore } from './budget-store.js';
import { memoryBudgets } from './memory-budgets.js';
import { turnsPerHour, type TurnsPerHourOptions } from './turns-per-hour.js';

const principal = { issuer: 'i', subject: 'ada', roles: [] };
const ada: AdmissionAsk = { principal, userKey: 'a1' };
const nobody = (userKey: string): AdmissionAsk => ({ userKey });

const told: unknown[] = [];
beforeEach(() => void told.splice(0));
const policy = (more: Partial<TurnsPerHourOptions> = {}) =>
  turnsPerHour({
    limit: 2,
    anonymousLimit: 1,
    store: memoryBudgets({ now: () => 0 }),
    whenStoreDown: 'refuse',
    onStoreDown: (error) => told.push(error),
    ...more,
  });

it('A3 gives each proven person a budget, and everybody else one together', async () => {
  const { admit } = policy();
  const verdicts = async (asks: AdmissionAsk[]) => {
    const kinds: string[] = [];
    for (const ask of asks) kinds.push((await admit(ask)).kind);
    return kinds;
  };
  expect(await verdicts([ada, { ...ada, sessionId: 's' }, ada, { principal, userKey: 'b2' }])).toEqual([
    'allow',
    'allow',
    'refuse',
    'allow',
  ]);
  expect(await verdicts([nobody('x'), nobody('y'), nobody('a1')])).toEqual(['allow', 'refuse', 'refuse']);
  expect(await admit(ada)).toEqual({ kind: 'refuse', sentence: 'The 2 turns per hour are used up.', retryAfterS: 3660 });
});

describe('while the shared store does not answer', () => {
  const down: BudgetStore = { take: () => Promise.reject(new Error('away')) };
  const silent: BudgetStore = { take: () => new Promise(() => undefined) };

  it('A3 refuses or admits as it is told, and says why', async () => {
    expect(await policy({ store: down }).admit(ada)).toMatchObject({
      kind: 'refuse',
      sentence: expect.stringContaining('cannot be reached'),
    });
    expect(await policy({ store: down, whenStoreDown: 'allow' }).admit(ada)).toEqual({ kind: 'allow' });
    expect(told).toEqual([new Error('away'), new Error('away')]);
  });

  it('A3 does not wait for it', async () => {
    expect(await policy({ store: silent, timeoutMs: 1 }).admit(ada)).toMatchObject({ kind: 'refuse' });
    expect(await policy({ store: silent, timeoutMs: 1, whenStoreDown: 'allow' }).admit(ada)).toEqual({ kind: 'allow' });
  });
});
