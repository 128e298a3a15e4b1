import fc from 'fast-check';
import type { GrantRecord } from '@doorledger/ledger';
import { MAX_USES, foldGrant, noGrant, usesLeft, type GrantState, type GrantVerdict } from './grant-fold.js';

const grantId = '00000000-0000-4000-8000-000000000001';
const hash = 'a'.repeat(64);
const ref = 'b'.repeat(32);

/** Records of one grant as a log would hold them, and what the fold says of each. */
class Story {
  state: GrantState = noGrant;
  now = 1000;
  #offset = 0;

  created(bounds: { until?: number; count?: number } = {}): GrantVerdict {
    const data = { grantId, userRef: ref, server: 's', tool: 't', toolHash: hash, schemaHash: hash, by: ref, ...bounds };
    return this.add({ type: 'grant.created', data });
  }

  used(useId: string): GrantVerdict {
    return this.add({ type: 'grant.used', data: { grantId, useId, requestId: hash } });
  }

  revoked(): GrantVerdict {
    return this.add({ type: 'grant.revoked', data: { grantId, by: ref } });
  }

  add(record: object): GrantVerdict {
    const at = { grantId, timestamp: this.now, offset: this.#offset++ };
    const { state, verdict } = foldGrant(this.state, { ...record, ...at } as GrantRecord);
    this.state = state;
    return verdict;
  }
}

let story: Story;
beforeEach(() => (story = new Story()));

describe('N52 lets a use stand', () => {
  it('N52 when the grant was created, is not revoked, has uses left, and the use is the first of its id', () => {
    expect(story.created({ count: 2 })).toBe('stands');
    expect([story.used('a'), story.used('b'), story.used('c')]).toEqual(['stands', 'stands', 'used-up']);
    expect(usesLeft(story.state)).toBe(0);
  });

  it('N52 at its last moment, by the log timestamp of the use itself, and not past it', () => {
    story.created({ until: 1500 });
    story.now = 1500;
    expect(story.used('a')).toBe('stands');
    story.now = 1501;
    expect(story.used('b')).toBe('expired');
    story.now = 1499;
    expect(story.used('c')).toBe('stands');
  });

  it.each<[GrantVerdict, () => GrantVerdict]>([
    ['not-created', () => story.used('a')],
    ['revoked', () => (story.created(), story.revoked(), story.used('a'))],
    ['revoked', () => (story.revoked(), story.created(), story.used('a'))],
    ['used', () => (story.created(), story.used('a'), story.used('a'))],
    ['created', () => (story.created(), story.created({ count: 9 }))],
    ['revoked', () => (story.revoked(), story.revoked())],
  ])('N52 and says %s of what does not', (verdict, told) => expect(told()).toBe(verdict));
});

it('N52 keeps the terms of the first record that made the grant', () => {
  story.created({ count: 1 });
  story.created({ count: 9 });
  expect(story.state.terms).toMatchObject({ count: 1, createdAt: 1000 });
});

it('N52 takes a copy of a use as no second one, and does not count it', () => {
  story.created({ count: 2 });
  expect([story.used('a'), story.used('a'), story.used('b')]).toEqual(['stands', 'used', 'stands']);
});

it('L8 counts a use that cannot be read, so that nothing more than was agreed to runs', () => {
  story.created({ count: 2 });
  story.add({ type: 'grant.used' });
  expect([story.used('a'), story.used('b')]).toEqual(['stands', 'used-up']);
});

it('N52 bounds a grant that names no count', () => {
  story.created();
  for (let i = 0; i < MAX_USES; i++) expect(story.used(`use ${i}`)).toBe('stands');
  expect(story.used('one more')).toBe('used-up');
});

it('L9 changes nothing by a record that is in the state already', () => {
  story.created({ count: 1 });
  const { state, verdict } = foldGrant(story.state, { type: 'grant.revoked', grantId, timestamp: 1, offset: 0 });
  expect([state, verdict]).toEqual([story.state, 'copy']);
});

it('N52 for any log: as many uses stand as a plain count of its records says, and never more than were agreed to', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('created'), count: fc.integer({ min: 1, max: 4 }), until: fc.integer({ min: 1000, max: 1020 }) }),
    fc.record({ kind: fc.constant('used'), useId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }),
    fc.record({ kind: fc.constant('unreadable') }),
    fc.record({ kind: fc.constant('revoked') }),
  ) as fc.Arbitrary<{ kind: string; count: number; until: number; useId: string }>;
  const timed = fc.record({ step, wait: fc.integer({ min: 0, max: 3 }) });
  fc.assert(
    fc.property(fc.array(timed, { maxLength: 40 }), (steps) => {
      const told = new Story();
      let terms: { count: number; until: number } | undefined;
      let [isRevoked, taken] = [false, 0];
      const seen = new Set<string>();
      for (const { step: one, wait } of steps) {
        told.now += wait;
        if (one.kind === 'created') {
          told.created(one);
          terms ??= one;
        } else if (one.kind === 'revoked') {
          told.revoked();
          isRevoked = true;
        } else if (one.kind === 'unreadable') {
          told.add({ type: 'grant.used' });
          taken++;
        } else {
          const may = terms !== undefined && !isRevoked && !seen.has(one.useId) && taken < terms.count && told.now <= terms.until;
          expect(told.used(one.useId) === 'stands').toBe(may);
          if (may) {
            seen.add(one.useId);
            taken++;
          }
        }
      }
      expect(seen.size).toBeLessThanOrEqual(terms?.count ?? 0);
    }),
  );
});
