import type { Caller } from '../caller.js';
import { isServed, type Owned } from './ownership.js';

const [ann, bob] = ['a'.repeat(32), 'b'.repeat(32)];
const fresh: Owned = { owner: null, lastRunId: null, isClosed: false };
const ofAnn: Owned = { owner: ann, lastRunId: 'r', isClosed: false };
const ownerless: Owned = { owner: null, lastRunId: 'r', isClosed: false };
const proven = (userRef: string): Caller => ({ isVerified: true, userRef });
const anonymous: Caller = { isVerified: true };
const unchecked: Caller = { isVerified: false };
const named = { isMinted: false, newSessions: 'named' } as const;
const minted = { isMinted: true, newSessions: 'named' } as const;

it('O2 serves a stored session to its owner only', () => {
  expect([ann, bob].map((user) => isServed(ofAnn, proven(user), named))).toEqual([true, false]);
  expect([anonymous, unchecked].map((caller) => isServed(ofAnn, caller, minted))).toEqual([false, false]);
});

it('O2 serves an ownerless session to anonymous callers only, and only by an id that was minted', () => {
  expect(isServed(ownerless, anonymous, minted)).toBe(true);
  expect(isServed(ownerless, anonymous, named)).toBe(false);
  expect(isServed(ownerless, proven(ann), minted)).toBe(false);
  expect(isServed(fresh, anonymous, named)).toBe(false);
  expect(isServed(fresh, anonymous, minted)).toBe(true);
});

it('O1 lets callers name new sessions, or only minted ones where the setting says so', () => {
  for (const caller of [proven(ann), unchecked]) {
    expect(isServed(fresh, caller, named)).toBe(true);
    expect(isServed(fresh, caller, { isMinted: false, newSessions: 'minted' })).toBe(false);
    expect(isServed(fresh, caller, { isMinted: true, newSessions: 'minted' })).toBe(true);
  }
  expect(isServed(ofAnn, proven(ann), { isMinted: false, newSessions: 'minted' })).toBe(true);
});

it('O4 takes a session that nobody can read for none at a verifying door, and for what it is at an open one', () => {
  const blocked = { ...ofAnn, blockedBy: { topic: 't', partition: 0, offset: 0 } } as Owned;
  expect(isServed(blocked, proven(ann), named)).toBe(false);
  expect(isServed({ ...blocked, owner: null }, unchecked, named)).toBe(true);
});

it('O2 serves a closed session to nobody', () => {
  for (const caller of [proven(ann), anonymous, unchecked]) expect(isServed({ ...ofAnn, isClosed: true }, caller, minted)).toBe(false);
});
