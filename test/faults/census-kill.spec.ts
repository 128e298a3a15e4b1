import type { LifeCheck } from '@doorledger/ledger';
import { judgeLives } from './census-kill.js';
import type { LifeOnLog } from './places-on-log.js';

const life: LifeOnLog = { bootId: 'b', issued: 10, recorded: 5, counted: 3, missing: [7, 9], doubled: [], overlapping: [], miscounted: 0 };
const check: LifeCheck = {
  ...{ hostId: 'h', bootId: 'b', state: 'ended', issued: 10, recorded: 5, counted: 3 },
  ...{ pending: 0, unknown: 2, removed: 0, doubled: 0, addsUp: true },
};

it('E12 a census that says what the log says is no fault', () => {
  expect(judgeLives([life], [check, { ...check, bootId: 'c', state: 'running', unknown: 0, pending: 4 }], 1)).toEqual([]);
});

it.each<[string, Partial<LifeOnLog>, Partial<LifeCheck>, number]>([
  ['a place that is missing and not called unknown', { missing: [7, 8, 9] }, {}, 1],
  ['a place called unknown that is on the log', { missing: [7] }, {}, 1],
  ['a count that is not the log’s', { counted: 4 }, {}, 1],
  ['sums that are not the last place', { issued: 11 }, { issued: 11 }, 1],
  ['a census that says itself that it does not add up', {}, { addsUp: false }, 1],
  ['a place that was told twice', { doubled: [3] }, {}, 1],
  ['a life that the census does not know', {}, {}, 2],
  ['a life that the log does not know', { bootId: 'other' }, {}, 1],
])('E11 and E12 find %s', (_name, onLog, said, over) => {
  expect(judgeLives([{ ...life, ...onLog }], [{ ...check, ...said }], over)).toHaveLength(1);
});
