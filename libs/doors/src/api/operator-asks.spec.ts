import { Refused } from '../refused.js';
import { readFreeze, readLift, readNothing, readReconciliation } from './operator-asks.js';

const references = { tenantRef: (tenant: string) => `ref of ${tenant}` };
const ref = 'a'.repeat(32);
const why = 'because';

function refusedBy(read: () => unknown): { code?: string; error: string } {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(Refused);
    return (error as Refused).terminal;
  }
  throw new Error('It was not refused.');
}

it.each([
  [{ kind: 'everything' }, { kind: 'everything' }],
  [
    { kind: 'tool', name: 'files.read.all' },
    { kind: 'tool', name: 'files.read.all' },
  ],
  [
    { kind: 'server', name: 'files' },
    { kind: 'server', name: 'files' },
  ],
  [
    { kind: 'user', name: ref },
    { kind: 'user', name: ref },
  ],
  [
    { kind: 'tenant', name: 'acme' },
    { kind: 'tenant', name: 'ref of acme' },
  ],
])('P6 reads %j as the fact names it', (target, named) => {
  expect(readFreeze({ target, why }, references)).toEqual({ target: named, why });
});

it.each<[unknown]>([
  [{}],
  [{ why, target: 'everything' }],
  [{ target: { kind: 'everything' } }],
  [{ target: { kind: 'everything' }, why: ' ' }],
  [{ target: { kind: 'everything' }, why: 'x'.repeat(1001) }],
  [{ target: { kind: 'everything', name: 'x' }, why }],
  [{ target: { kind: 'everything' }, why, until: 1 }],
  [{ target: { kind: 'server', name: 'files', also: 1 }, why }],
  [{ target: { kind: 'server' }, why }],
  [{ target: { kind: 'server', name: 'x'.repeat(201) }, why }],
  [{ target: { kind: 'tool', name: 'write' }, why }],
  [{ target: { kind: 'tool', name: 'files.' }, why }],
  [{ target: { kind: 'user', name: 'ann' }, why }],
  [{ target: { kind: 'planet', name: 'x' }, why }],
])('P7 refuses the freeze %j and names what is known', (fields) => {
  const { code, error } = refusedBy(() => readFreeze(fields as Record<string, unknown>, references));
  expect(code).toBe('ERR_INVALID_QUERY');
  for (const known of ['target', 'kind', 'name', 'why', 'tool', 'server', 'tenant', 'user', 'everything']) expect(error).toContain(known);
});

it('P7 reads a lift with and without its reason, and refuses anything else by naming it', () => {
  expect([readLift({}), readLift({ why })]).toEqual([{}, { why }]);
  for (const fields of [{ why: '' }, { why: 1 }, { reason: why }]) expect(refusedBy(() => readLift(fields)).error).toContain('"why"');
});

it('P7 reads a reconciliation, and refuses anything else by naming its fields', () => {
  expect(readReconciliation({ verdict: 'ran' })).toEqual({ verdict: 'ran' });
  expect(readReconciliation({ verdict: 'did-not-run', attempt: 2, why: 'Asked.' })).toEqual({
    verdict: 'did-not-run',
    attempt: 2,
    why: 'Asked.',
  });
  for (const fields of [
    {},
    { verdict: 'maybe' },
    { verdict: 'ran', attempt: 0 },
    { verdict: 'ran', attempt: '1' },
    { verdict: 'ran', why: '' },
    { verdict: 'ran', x: 1 },
  ])
    expect(refusedBy(() => readReconciliation(fields)).error).toMatch(/"verdict".*"attempt".*did-not-run/);
});

it('P7 refuses fields where there are none to send', () => {
  readNothing({});
  expect(refusedBy(() => readNothing({ x: 1 })).code).toBe('ERR_INVALID_QUERY');
});
