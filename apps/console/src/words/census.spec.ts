import { causesOf, change, percent, seriesOf } from './census.js';

it('P2 puts counts into their windows, empty ones among them', () => {
  const at = Date.UTC(2026, 0, 1);
  const item = { window: new Date(at + 60_000).toISOString(), requests: 3, recorded: 3, counted: 0 };
  const { windows, counts } = seriesOf([{ ...item, outcome: 'served' }, item], at + 1000, at + 180_000, 60_000);
  expect(windows).toEqual([at, at + 60_000, at + 120_000]);
  expect([counts.get('served'), counts.get('undecided')]).toEqual([
    [0, 3, 0],
    [0, 3, 0],
  ]);
});

it('P2 orders causes by how often, beside the time before', () => {
  const one = (cause: string, requests: number) => ({ cause, outcome: 'refused', door: 'turn', requests, recorded: requests, counted: 0 });
  const served = { outcome: 'served', door: 'turn', requests: 9, recorded: 9, counted: 0 };
  expect(causesOf([one('A', 1), one('B', 5), served], [one('B', 4)])).toMatchObject([
    { cause: 'B', count: 5, before: 4 },
    { cause: 'A', count: 1, before: 0 },
  ]);
  expect([change({ count: 5, before: 4 }), change({ count: 1, before: 0 }), change({ count: 1, before: 2 })]).toEqual([
    '+25 %',
    'new',
    '−50 %',
  ]);
  expect([percent(0, 0), percent(999_999, 1_000_000), percent(1, 1_000_000), percent(1, 1)]).toEqual(['0 %', '99.9 %', '0.1 %', '100 %']);
});
