import { askLedger } from './ask-ledger.js';

test('what the ledger knows is answered at the first ask (P3)', async () => {
  let asks = 0;
  expect(await askLedger(async () => ++asks)).toBe(1);
});

test('a ledger that is a moment behind is asked again soon, then less and less often (P3)', async () => {
  const waited: number[] = [];
  expect(await askLedger(async (ms) => (waited.push(ms), waited.length === 8 ? 'known' : undefined))).toBe('known');
  const gaps = waited.slice(1).map((ms, i) => ms - waited[i]!);
  expect(gaps[6]).toBeGreaterThan(48);
  expect(waited[6]).toBeGreaterThan(61);
});

test('a ledger that does not catch up is given up after two seconds, and what it last said is not made up (P3)', async () => {
  let last = 0;
  expect(await askLedger(async (ms) => void (last = ms))).toBeUndefined();
  expect(last).toBeGreaterThan(2000);
});
