import { progressOn } from './progress.js';

function told(updates: readonly (readonly [ms: number, done: number, total: number])[]): string[] {
  const lines: string[] = [];
  let now = 0;
  const progress = progressOn({ write: (text: string) => lines.push(text) }, 'replay', { now: () => now });
  for (const [ms, done, total] of updates) {
    now = ms;
    progress.update(done, total);
  }
  progress.stop();
  return lines;
}

it('X0 tells records, rate and time left at each further tenth where there is no terminal', () => {
  expect(
    told([
      [0, 0, 1000],
      [500, 99, 1000],
      [1000, 100, 1000],
      [1500, 150, 1000],
      [2000, 400, 1000],
      [4000, 1000, 1000],
    ]),
  ).toEqual([
    'replay: 100 of 1000 records, 100/s, 9 s left\n',
    'replay: 400 of 1000 records, 200/s, 3 s left\n',
    'replay: 1000 of 1000 records, 250/s, 0 s left\n',
  ]);
});

it('has one line for an empty log', () => {
  expect(told([[0, 0, 0]])).toEqual(['replay: 0 of 0 records, 0/s, 0 s left\n']);
});
