import fc from 'fast-check';
import { facts, isFrozenType, readFrozen, type FactType, type FrozenType } from './index.js';
import { arbitraryEvent } from './testing/arbitrary-fact.js';

const frozenTypes = (Object.keys(facts) as FactType[]).filter((type): type is FrozenType & FactType => isFrozenType(type));
const run = { turnId: 't', runId: 'r' };

it('L8 reads the frozen fields of every event that keeps its schema', () => {
  fc.assert(
    fc.property(arbitraryEvent(...frozenTypes), ({ type, data }) => {
      expect({ ...data, type }).toMatchObject(readFrozen(type as FrozenType, data)!);
    }),
    { numRuns: 1000 },
  );
});

it('L8 takes nothing but the frozen fields, whatever else the data holds', () => {
  const data = { ...run, later: 1, type: 'turn.completed' };
  expect(readFrozen('turn.renewed', data)).toEqual({ type: 'turn.renewed', runId: 'r' });
});

it.each([
  ['absent', {}],
  ['empty', { runId: '' }],
  ['of another type', { runId: 7 }],
])('L8 cannot read a record whose frozen field is %s', (_, data) => {
  expect(readFrozen('turn.renewed', data)).toBeUndefined();
  expect(readFrozen('turn.renewed', undefined)).toBeUndefined();
});

it('L8 takes an absent optional field and refuses a broken one', () => {
  const claim = { ...run, hostId: 'h', bootId: 'b', after: null };
  expect(readFrozen('turn.claimed', claim)).toEqual({ type: 'turn.claimed', ...claim });
  expect(readFrozen('turn.claimed', { ...claim, wait: 'yes' })).toBeUndefined();
  expect(readFrozen('turn.claimed', { ...claim, idempotency: { key: 'k' } })).toBeUndefined();
  expect(readFrozen('turn.claimed', { ...run, hostId: 'h', bootId: 'b' })).toBeUndefined();
});
