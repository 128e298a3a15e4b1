import { askTerms, gatesOf, whyNobodyCanDecide, type AskSettings } from './gate-settings.js';

it('N50 lets the party itself decide, without clocks, where a gate says nothing more', () => {
  expect(askTerms()).toEqual({ observe: false, policy: { deciders: 'party', roles: ['approver'], separation: false } });
});

it('N8, N16 and N50 keep every term a gate names', () => {
  const terms = { decideByMs: 1, spendByMs: 2, observe: true };
  const policy = { deciders: 'both' as const, roles: ['treasurer'], separation: true, quorum: 2 };
  expect(askTerms({ ...terms, ...policy })).toEqual({ ...terms, policy });
});

it('L22 finds the gate of exactly one tool of one server', () => {
  const gateOf = gatesOf([
    { name: 'bank', tools: { transfer: { gate: { kind: 'checkIn', quorum: 1 } }, balance: {} } },
    { name: 'mail', tools: { 'send.all': { gate: { kind: 'checkIn', observe: true } } } },
    { name: 'bare' },
  ]);
  expect(gateOf('bank', 'transfer')).toMatchObject({ policy: { quorum: 1 } });
  expect(gateOf('mail', 'send.all')).toMatchObject({ observe: true });
  const ungated = [gateOf('bank', 'balance'), gateOf('mail', 'transfer'), gateOf('bare', 'x'), gateOf('bank', 'constructor')];
  expect(ungated).toEqual([undefined, undefined, undefined, undefined]);
});

it.each<[AskSettings, string | undefined]>([
  [{}, undefined],
  [{ deciders: 'role' }, undefined],
  [{ deciders: 'both', roles: ['a'], separation: true, quorum: 3 }, undefined],
  [{ decideByMs: 5, spendByMs: 5 }, undefined],
  [{ decideByMs: 5, spendByMs: 4 }, 'spendByMs cannot be less than decideByMs'],
  [{ roles: ['a'] }, 'Roles decide only where deciders is role or both'],
  [{ deciders: 'role', roles: [] }, 'Name at least one role'],
  [{ separation: true }, 'add a role, or give up the separation'],
  [{ quorum: 2 }, '2 approvals cannot be had'],
])('N50 says of %j whether anybody could ever decide', (settings, why) => {
  if (why === undefined) expect(whyNobodyCanDecide(settings)).toBeUndefined();
  else expect(whyNobodyCanDecide(settings)).toContain(why);
});
