import { judgeSpends } from './judge-spends.js';
import type { Heard } from './spenders.js';

const approvals = ['a', 'b'];
const received = [{ id: 'a' }, { id: 'b' }];
const heard = (a: string, b: string, unspent: string[] = []): Heard => ({ heard: { a, b }, unspent });
const good = [heard('spent', 'not-spent'), heard('not-spent', 'spent')];
const rulesOf = (...judged: Parameters<typeof judgeSpends>) => judgeSpends(...judged).map(({ rule, what }) => `${rule}: ${what}`);

it('finds nothing where each approval was spent by one and ran once', () => {
  expect(rulesOf(approvals, good, received)).toEqual([]);
});

it.each<[string, Heard[], { id: string }[], string]>([
  ['ran twice', good, [...received, { id: 'a' }], 'N41: a ran 2 times'],
  ['never ran', good, [{ id: 'b' }], 'N41: a ran 0 times'],
  ['was spent by two', [good[0]!, heard('spent', 'spent')], received, 'N40: a was answered spent and spent'],
  ['was spent by nobody', [heard('not-spent', 'not-spent'), good[1]!], received, 'N40: a was answered not-spent and not-spent'],
  ['got no answer', [good[0]!, heard('The log is away.', 'spent')], received, 'N40: a was answered spent and The log is away.'],
  ['is not known to be spent', [good[0]!, heard('not-spent', 'spent', ['a'])], received, 'N40: a was spent, and 1 did not see it'],
])('N40 and N41 finds an approval that %s', (_, told, calls, violation) => {
  expect(rulesOf(approvals, told, calls)).toEqual([violation]);
});
