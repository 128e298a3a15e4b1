import fc from 'fast-check';
import { encodePausedRequest, isCommitted, readPausedRequest } from './paused-request.js';
import { jsonObject } from './testing/arbitrary-json.js';
import { ask, checkIn, LEDGER, pausedOn } from './testing/sample-call.js';

const stored = (paused = pausedOn(checkIn)) => JSON.parse(JSON.stringify(encodePausedRequest(paused))) as Record<string, unknown>;

it('N7 and N5 read a stored request back as it was minted, id, ledger and arguments', () => {
  fc.assert(
    fc.property(jsonObject, fc.constantFrom(checkIn, ask), (args, call) => {
      const paused = pausedOn({ ...call, args });
      const read = readPausedRequest(stored(paused))!;
      expect(read).toEqual(paused);
      expect([isCommitted(read), read.pending.ledger]).toEqual([true, LEDGER]);
      expect([read, read.pending, read.call, read.call.args].every((copy) => Object.isFrozen(copy))).toBe(true);
    }),
  );
});

it('N13 never throws over stored state: what cannot be read is absent', () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }),
      (any) => readPausedRequest(any) === undefined,
    ),
  );
  const trap = new Proxy({}, { ownKeys: () => { throw new Error('trap'); } }); // prettier-ignore
  expect(readPausedRequest(trap)).toBeUndefined();
  const whole = stored();
  const fields = ['version', 'id', 'nonce', 'ledger', 'call'];
  fc.assert(
    fc.property(fc.constantFrom(...fields), fc.anything(), (field, any) => {
      const { [field]: _, ...rest } = whole;
      expect(readPausedRequest(rest)).toBeUndefined();
      expect(() => readPausedRequest({ ...whole, [field]: any })).not.toThrow();
    }),
  );
});

it.each<[string, Record<string, unknown>]>([
  ['another version', { version: 2 }],
  ['an id that is none', { id: 'A'.repeat(64) }],
  ['a short nonce', { nonce: '00' }],
  ['a ledger that is no text', { ledger: 7 }],
])('N13 takes %s for no usable request', (_, change) => {
  expect(readPausedRequest({ ...stored(), ...change })).toBeUndefined();
});

it.each<[string, (call: Record<string, unknown>) => void]>([
  ['without a tool', (call) => delete call.tool],
  ['with arguments that are a list', (call) => (call.args = [])],
  ['with an unknown gate', (call) => (call.gate = 'other')],
  ['of a check-in with a rule that asks', (call) => (call.ask = { rule: 'r', index: 0, chain: ['r'] })],
  ['of an ask without one', (call) => (call.gate = 'ask')],
  ['of a party that is no text', (call) => (call.party = { subject: 7 })],
])('N13 takes a call %s for no usable request', (_, change) => {
  const bad = stored();
  change(bad.call as Record<string, unknown>);
  expect(readPausedRequest(bad)).toBeUndefined();
});

it('N5 sees any other arguments than the committed ones', () => {
  const paused = pausedOn(checkIn);
  expect(isCommitted({ ...paused, call: { ...paused.call, args: { ...paused.call.args } } })).toBe(true);
  expect(isCommitted({ ...paused, call: { ...paused.call, args: { ...paused.call.args, to: 'c@d.example' } } })).toBe(false);
  expect(isCommitted({ ...paused, pending: { ...paused.pending, nonce: '1'.repeat(32) } })).toBe(false);
});
