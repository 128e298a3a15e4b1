import { mayDecide, tally, whyUnusable, type ApproverPolicy, type Decider } from './approver-policy.js';

const party = { issuer: 'https://a', tenant: 't1', subject: 'asker' };
const person = (change: Partial<Decider> = {}): Decider => ({ issuer: 'https://a', tenant: 't1', subject: 'other', roles: [], ...change });
const asker = person({ subject: 'asker' });
const approver = person({ roles: ['reader', 'approver'] });
const policy = (change: Partial<ApproverPolicy> = {}): ApproverPolicy => ({
  deciders: 'both',
  roles: ['approver'],
  separation: false,
  ...change,
});

describe('mayDecide', () => {
  it.each([
    ['party', [true, false, false]],
    ['role', [false, true, false]],
    ['both', [true, true, false]],
  ] as const)('N50 lets decide under `%s`: asker, role, anybody else', (deciders, allowed) => {
    for (const approved of [true, false])
      expect([asker, approver, person()].map((p) => mayDecide(p, party, policy({ deciders }), approved))).toEqual(allowed);
  });

  it('N50 lets the asker not approve under separation of duties, by no role either, but decline', () => {
    const both = { ...asker, roles: ['approver'] };
    const separated = policy({ separation: true });
    expect([mayDecide(asker, party, separated, true), mayDecide(both, party, separated, true)]).toEqual([false, false]);
    expect(mayDecide(asker, party, separated, false)).toBe(true);
    expect(mayDecide({ ...both, subject: 'x', ownsSession: true }, party, separated, true)).toBe(false);
    expect(mayDecide(approver, party, separated, true)).toBe(true);
  });

  it.each([{ tenant: 't2' }, { tenant: undefined }])('N50 counts no role and no namesake of another tenant: %j', (change) => {
    expect(mayDecide({ ...approver, ...change }, party, policy(), true)).toBe(false);
    expect(mayDecide({ ...asker, ...change }, party, policy(), true)).toBe(false);
  });

  it('N50 takes the same subject of another issuer for another person', () => {
    expect(mayDecide({ ...asker, issuer: 'https://b' }, party, policy(), true)).toBe(false);
  });

  it('N50 knows an anonymous party by its session alone', () => {
    const nobody: Decider = { roles: [] };
    expect(mayDecide(nobody, {}, policy(), true)).toBe(false);
    expect(mayDecide({ ...nobody, ownsSession: true }, {}, policy(), true)).toBe(true);
  });
});

it.each<[Partial<ApproverPolicy>, RegExp | undefined]>([
  [{}, undefined],
  [{ deciders: 'party', roles: [] }, undefined],
  [{ deciders: 'role', roles: [] }, /role/],
  [{ deciders: 'both', roles: [] }, /role/],
  [{ deciders: 'party', separation: true }, /separation/],
  [{ deciders: 'party', quorum: 2 }, /2 approvals/],
  [{ quorum: 0 }, /quorum/],
  [{ quorum: 1.5 }, /quorum/],
  [{ quorum: 65 }, /quorum/],
  [{ quorum: 64, separation: true }, undefined],
])('N50 says of a policy whether anybody could ever approve under it: %j', (change, sentence) => {
  const why = whyUnusable(policy(change));
  if (sentence) expect(why).toMatch(sentence);
  else expect(why).toBeUndefined();
});

it('N50 counts distinct people by their first vote, and one that disapproves vetoes', () => {
  const vote = (by: string, approved = true) => ({ by, approved });
  expect(tally([], 2)).toEqual({ have: 0, need: 2, isVetoed: false });
  expect(tally([vote('a'), vote('a'), vote('a', false)], 2)).toEqual({ have: 1, need: 2, isVetoed: false });
  expect(tally([vote('a'), vote('b')], 2)).toEqual({ have: 2, need: 2, isVetoed: false });
  expect(tally([vote('a'), vote('b', false), vote('b')], 2)).toEqual({ have: 1, need: 2, isVetoed: true });
});
