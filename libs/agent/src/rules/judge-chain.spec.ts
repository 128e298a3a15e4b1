import { judgeChain } from './judge-chain.js';
import { chainOf, type JudgedCall, type Rule, type Verdict } from './rule.js';

const call: JudgedCall = {
  server: 'bank',
  tool: 'transfer',
  args: { to: 'DE1', amount: 5, note: { lines: ['x'] } },
  party: { roles: ['clerk'] },
};
const says = (name: string, verdict: Verdict | Promise<Verdict>, seen: JudgedCall[] = []): Rule => ({
  name,
  judge: (judged) => {
    seen.push(judged);
    return verdict;
  },
});
const throws = (name: string, error: unknown = new Error('canary')): Rule => ({
  name,
  judge: () => {
    throw error;
  },
});
const allow = { kind: 'allow' } as const;
const deny = { kind: 'deny', reason: 'Too much.' } as const;
const ask = { kind: 'ask', question: 'Really?' } as const;

it('L22 runs a call that no rule objects to, with the arguments it came with', async () => {
  expect(await judgeChain([], call)).toEqual({ kind: 'run', args: call.args, observed: [] });
  expect(await judgeChain([says('a', allow), says('b', Promise.resolve(allow))], call)).toEqual({
    kind: 'run',
    args: call.args,
    observed: [],
  });
});

it('L22 ends at the first rule that denies, by its name and reason, and asks no rule after it', async () => {
  const seen: JudgedCall[] = [];
  const judgement = await judgeChain([says('a', allow), says('limit', deny), says('c', ask, seen)], call);
  expect(judgement).toEqual({ kind: 'deny', rule: 'limit', reason: 'Too much.', observed: [] });
  expect(seen).toEqual([]);
});

it('L22 hands the arguments a rule wrote to every rule after it, and to the call', async () => {
  const seen: JudgedCall[] = [];
  const rewrite = (name: string, more: object) => ({
    name,
    judge: ({ args }: JudgedCall): Verdict => ({ kind: 'rewrite', args: { ...args, ...more } }),
  });
  const judgement = await judgeChain([rewrite('a', { amount: 1 }), rewrite('b', { currency: 'EUR' }), says('c', allow, seen)], call);
  const rewritten = { ...call.args, amount: 1, currency: 'EUR' };
  expect(judgement).toEqual({ kind: 'run', args: rewritten, observed: [] });
  expect(seen[0]?.args).toEqual(rewritten);
  expect(call.args).toEqual({ to: 'DE1', amount: 5, note: { lines: ['x'] } });
});

it('L22 and N1 ask with the arguments as rewritten so far, the place of the asking rule and the names from it on', async () => {
  const judgement = await judgeChain([says('a', { kind: 'rewrite', args: { amount: 1 } }), says('b', ask), says('c', deny)], call);
  expect(judgement).toEqual({
    kind: 'ask',
    rule: 'b',
    index: 1,
    chain: ['b', 'c'],
    question: 'Really?',
    args: { amount: 1 },
    observed: [],
  });
});

it('L22 and N1 count places in the chain of the tool: rules of other tools and servers are not in it', async () => {
  const rules: Rule[] = [
    { ...throws('other-server'), servers: ['mail'] },
    { ...throws('other-tool'), servers: ['bank'], tools: ['balance'] },
    { ...says('mine', ask), servers: ['mail', 'bank'], tools: ['transfer'] },
    { ...throws('no-tool'), tools: [] },
    says('everywhere', allow),
  ];
  expect(await judgeChain(rules, call)).toMatchObject({ kind: 'ask', index: 0, chain: ['mine', 'everywhere'] });
  expect(chainOf(rules, 'bank', 'transfer').map(({ name }) => name)).toEqual(['mine', 'everywhere']);
});

it('L22 and N11 go on behind the rule that asked: a later one still denies, rewrites or asks', async () => {
  const rules = [throws('a'), throws('asked'), says('c', ask), says('d', deny)];
  expect(await judgeChain(rules, call, 2)).toMatchObject({ kind: 'ask', rule: 'c', index: 2, chain: ['c', 'd'] });
  expect(await judgeChain(rules, call, 3)).toMatchObject({ kind: 'deny', rule: 'd' });
  expect(await judgeChain(rules, call, 4)).toMatchObject({ kind: 'run', args: call.args });
});

it('L22 runs nothing from a place that the chain does not have any more', async () => {
  await expect(judgeChain([says('a', allow)], call, 2)).rejects.toThrow(RangeError);
});

it('N16 only reports a rule that asks under observation; the chain goes on, to a run, a denial or another ask', async () => {
  const watched = says('watched', { ...ask, observe: true });
  const observed = [{ rule: 'watched' }];
  expect(await judgeChain([watched, says('b', allow)], call)).toEqual({ kind: 'run', args: call.args, observed });
  expect(await judgeChain([watched, says('b', deny)], call)).toMatchObject({ kind: 'deny', rule: 'b', observed });
  expect(await judgeChain([watched, says('b', ask)], call)).toMatchObject({ kind: 'ask', rule: 'b', index: 1, observed });
});

describe('L22 a rule denies by its name', () => {
  const error = new Error('canary');
  it.each<[string, Rule]>([
    ['throws', throws('bad', error)],
    ['rejects', says('bad', Promise.reject(error))],
  ])('when it %s, and what it threw is for the log only', async (_, rule) => {
    const judgement = await judgeChain([rule, throws('never')], call);
    expect(judgement).toMatchObject({ kind: 'deny', rule: 'bad', error });
    expect((judgement as { reason: string }).reason).not.toContain('canary');
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['a word', 'allow'],
    ['a kind that does not exist', { kind: 'permit' }],
    ['a rewrite without arguments', { kind: 'rewrite' }],
    ['a rewrite to a list', { kind: 'rewrite', args: [1] }],
    ['a rewrite to what JSON cannot carry', { kind: 'rewrite', args: { at: new Date(0) } }],
    ['a denial whose reason is no text', { kind: 'deny', reason: { secret: 1 } }],
    ['a question that is no text', { kind: 'ask', question: 7 }],
  ])('when it answers %s', async (_, verdict) => {
    const judgement = await judgeChain([says('bad', verdict as Verdict), says('b', allow)], call);
    expect(judgement).toMatchObject({ kind: 'deny', rule: 'bad', reason: 'The rule bad could not judge this call, so it does not run.' });
  });

  it('when it changes an argument in place', async () => {
    const meddler: Rule = {
      name: 'meddler',
      judge: ({ args }) => {
        (args.note as { lines: string[] }).lines.push('y');
        return allow;
      },
    };
    expect(await judgeChain([meddler], call)).toMatchObject({ kind: 'deny', rule: 'meddler' });
    expect(call.args).toEqual({ to: 'DE1', amount: 5, note: { lines: ['x'] } });
  });

  it('when it gives the party a role', async () => {
    const meddler: Rule = {
      name: 'meddler',
      judge: ({ party }) => {
        (party.roles as string[]).push('admin');
        return allow;
      },
    };
    expect(await judgeChain([meddler], call)).toMatchObject({ kind: 'deny', rule: 'meddler' });
    expect(call.party).toEqual({ roles: ['clerk'] });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  it.each<[string, Record<string, unknown>]>([
    ['a date', { at: new Date(0) }],
    ['a function', { toJSON: () => 'other' }],
    ['a number without end', { n: Infinity }],
    ['a place without a value', { list: [undefined] }],
    ['a cycle', cycle],
  ])('when the call has %s, which would reach the tool as something else', async (_, args) => {
    expect(await judgeChain([says('first', allow)], { ...call, args })).toMatchObject({ kind: 'deny', rule: 'first' });
  });
});

it('L22 runs what was judged, whatever becomes of the given arguments afterwards', async () => {
  const args = JSON.parse('{"path":"/tmp/a","__proto__":{"path":"/etc"},"list":[null,{"a":1}],"gone":null}') as Record<string, unknown>;
  const text = JSON.stringify(args);
  const pending = judgeChain([says('a', allow)], { ...call, args: { ...args, unset: undefined } });
  args.path = '/etc/passwd';
  const judgement = (await pending) as { args: JudgedCall['args'] };
  expect(JSON.stringify(judgement.args)).toBe(text);
  expect(Object.isFrozen(judgement.args.list)).toBe(true);
});
