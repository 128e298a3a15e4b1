import fc from 'fast-check';
import { deploymentKeyOf } from './deployment-key.js';
import { joinFields } from './fields.js';
import { References } from './references.js';

const refs = new References(deploymentKeyOf(Buffer.alloc(32, 1)));
const field = fc.option(fc.string({ unit: 'binary', maxLength: 12 }), { nil: undefined });
/** Characters that the encoding itself uses, and lone surrogates, which UTF-8 cannot tell apart. */
const hardField = fc.option(fc.string({ unit: fc.constantFrom('1', '2', ':', '-', '\ud800', '\udfff', '\ufffd'), maxLength: 6 }), {
  nil: undefined,
});
const fields = fc.array(fc.oneof(field, hardField), { maxLength: 5 });
const same = (a: readonly unknown[], b: readonly unknown[]) => a.length === b.length && a.every((value, i) => value === b[i]);

it('O8 encodes different fields differently', () => {
  fc.assert(
    fc.property(fields, fields, (a, b) => {
      const bytes = (list: typeof a) => Buffer.from(joinFields(list), 'utf16le').toString('hex');
      expect(bytes(a) === bytes(b)).toBe(same(a, b));
    }),
    { numRuns: 2000 },
  );
});

it('O8 finds the fault in an encoding that only joins', () => {
  const joined = fc.property(fields, fields, (a, b) => (a.join(':') === b.join(':')) === same(a, b));
  expect(fc.check(joined, { numRuns: 5000 }).failed).toBe(true);
});

it('O8 names a session and a person by 32 hex that depend on every part', () => {
  const all = [
    refs.sessionRef(undefined, 's'),
    refs.sessionRef('', 's'),
    refs.sessionRef('t', 's'),
    refs.sessionRef('ts', ''),
    refs.sessionRef(undefined, '\ud800'),
    refs.sessionRef(undefined, '\ufffd'),
    refs.userRef({ subject: 's' }),
    refs.userRef({ tenant: 't', subject: 's' }),
    refs.userRef({ issuer: 't', subject: 's' }),
    refs.tenantRef('s'),
    new References(deploymentKeyOf(Buffer.alloc(32, 2))).sessionRef('t', 's'),
  ];
  expect(new Set(all).size).toBe(all.length);
  for (const ref of all) expect(ref).toMatch(/^[0-9a-f]{32}$/);
});

it('O8 keeps its references for ever: they are in the log', () => {
  expect([refs.sessionRef('acme', 'chat-1'), refs.userRef({ issuer: 'https://id.example', tenant: 'acme', subject: 'u-7' })]).toEqual([
    '611f7fdbceb03fb8dcde6c4897a6592f',
    'cba7c606d99159d97663984102f56c57',
  ]);
});

it('T3 hashes an isolation key to 12 hex that nobody without the deployment key can guess', () => {
  const other = new References(deploymentKeyOf(Buffer.alloc(32, 2)));
  const key = 't=acme/p=u-7/s=chat-1';
  expect(refs.isolationKeyHash(key)).toMatch(/^[0-9a-f]{12}$/);
  expect(other.isolationKeyHash(key)).not.toBe(refs.isolationKeyHash(key));
});

it('D18 keeps the idempotency keys of two sessions apart', () => {
  const [a, b] = [refs.idempotencyKey('a'.repeat(32), 'order-1'), refs.idempotencyKey('b'.repeat(32), 'order-1')];
  expect(a).toMatch(/^[0-9a-f]{64}$/);
  expect(b).not.toBe(a);
});
