import { judgeChain } from './judge-chain.js';
import { rulesOf, type DeclaredRule } from './declared-rule.js';
import { chainOf, type JudgedCall } from './rule.js';

const call: JudgedCall = { server: 'bank', tool: 'transfer', args: { to: 'DE1', amount: 5 }, party: {} };
const judged = (...declared: DeclaredRule[]) => judgeChain(rulesOf(declared), call);

it('L22 declares each action: allow, deny, rewrite and ask', async () => {
  expect(await judged({ name: 'r', action: 'allow' })).toEqual({ kind: 'run', args: call.args, observed: [] });
  expect(await judged({ name: 'r', action: 'deny', reason: 'No.' })).toMatchObject({ kind: 'deny', rule: 'r', reason: 'No.' });
  expect(await judged({ name: 'r', action: 'deny' })).toMatchObject({ kind: 'deny', reason: 'The rule r does not allow this call.' });
  expect(await judged({ name: 'r', action: 'ask', question: 'Sure?' })).toMatchObject({ kind: 'ask', rule: 'r', question: 'Sure?' });
  expect(await judged({ name: 'r', action: 'ask' })).not.toHaveProperty('question');
});

it('L22 allows by saying nothing: a later rule still denies', async () => {
  expect(await judged({ name: 'a', action: 'allow' }, { name: 'b', action: 'deny' })).toMatchObject({ kind: 'deny', rule: 'b' });
});

it('L22 rewrites into a new object: sets, removes, and leaves the given one and its own constants alone', async () => {
  const set = { currency: 'EUR', amount: 1 };
  const judgement = await judged({ name: 'r', action: 'rewrite', set, remove: ['to', 'absent'] });
  expect(judgement).toEqual({ kind: 'run', args: { amount: 1, currency: 'EUR' }, observed: [] });
  expect(call.args).toEqual({ to: 'DE1', amount: 5 });
  expect(Object.isFrozen(set)).toBe(false);
});

it.each<[Partial<DeclaredRule>, boolean]>([
  [{}, true],
  [{ server: 'bank' }, true],
  [{ server: ['mail', 'bank'], tool: '*' }, true],
  [{ server: 'bank', tool: 'transfer' }, true],
  [{ tool: ['balance', 'transfer'] }, true],
  [{ server: 'ban' }, false],
  [{ server: 'bank', tool: 'trans' }, false],
  [{ server: 'mail', tool: '*' }, false],
  [{ server: ['mail'], tool: 'transfer' }, false],
])('L22 takes a rule for %j into the chain of bank.transfer: %s', (of, isIn) => {
  const rules = rulesOf([{ name: 'r', action: 'deny', ...of }]);
  expect(chainOf(rules, 'bank', 'transfer')).toHaveLength(isIn ? 1 : 0);
});

it('L22 speaks only where its condition holds, of the arguments as rewritten so far', async () => {
  const large = (args: JudgedCall['args']) => (args.amount as number) > 100;
  expect(await judged({ name: 'limit', action: 'deny', when: large })).toMatchObject({ kind: 'run' });
  const raise: DeclaredRule = { name: 'raise', action: 'rewrite', set: { amount: 101 } };
  expect(await judged(raise, { name: 'limit', action: 'deny', when: large })).toMatchObject({ kind: 'deny', rule: 'limit' });
});

it('L22 denies where the condition cannot be judged, even for a rule that would only have allowed', async () => {
  const when = () => {
    throw new Error('odd');
  };
  expect(await judged({ name: 'odd', action: 'allow', when })).toMatchObject({ kind: 'deny', rule: 'odd' });
});

it('N16 declares an ask under observation', async () => {
  const judgement = await judged({ name: 'watched', action: 'ask', observe: true }, { name: 'b', action: 'rewrite', set: { amount: 2 } });
  expect(judgement).toEqual({ kind: 'run', args: { to: 'DE1', amount: 2 }, observed: [{ rule: 'watched' }] });
});
