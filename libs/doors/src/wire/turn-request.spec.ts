import fc from 'fast-check';
import { sessionIdProblem } from './session-id.js';
import { bodyOf, type Terminal } from './terminal.js';
import { readTurnRequest } from './turn-request.js';

const refusal = (fields: object, header?: string) => {
  const asked = readTurnRequest(fields as Record<string, unknown>, header);
  if (!('refused' in asked) || asked.refused.kind !== 'fail') throw new Error('was not refused');
  return asked.refused;
};

it('D10 takes an input that is absent, empty or no string as an empty message', () => {
  for (const fields of [{}, { input: '' }, { input: 1 }, { input: null }, { input: ['x'] }])
    expect(refusal(fields)).toMatchObject({ code: 'ERR_INVALID_RUN_INPUT', status: 400 });
  expect(readTurnRequest({ input: ' ' }, undefined)).toEqual({ input: ' ' });
});

it('D11 takes the session a body names by a string, else the header’s', () => {
  expect(readTurnRequest({ input: 'x', sessionId: 'body' }, 'header')).toEqual({ input: 'x', sessionId: 'body' });
  for (const sessionId of [undefined, null, 7, {}])
    expect(readTurnRequest({ input: 'x', sessionId }, 'header')).toEqual({ input: 'x', sessionId: 'header' });
  expect(readTurnRequest({ input: 'x' }, undefined)).toEqual({ input: 'x' });
});

it('D12 bounds a session id wherever it came from, and never echoes it', () => {
  const cases: [string, string][] = [
    ['', 'empty'],
    ['a'.repeat(401), 'too-long'],
    ['a b', 'invalid-character'],
    ['é', 'invalid-character'],
    ['a\u0000', 'invalid-character'],
    ['\u007f', 'invalid-character'],
  ];
  for (const [id, reason] of cases) {
    for (const refused of [refusal({ input: 'x', sessionId: id }), refusal({ input: 'x' }, id)]) {
      expect(refused).toMatchObject({ code: 'ERR_INVALID_SESSION_ID', status: 400, details: { reason } });
      if (id.length > 3) expect(JSON.stringify(bodyOf(refused as Terminal))).not.toContain(id);
    }
  }
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((c) => String.fromCharCode(c)), minLength: 1, maxLength: 400 }),
      (id) => {
        expect(sessionIdProblem(id)).toBeUndefined();
      },
    ),
  );
});

it('D14 takes the presence of a decision, null and false included, as a decision', () => {
  for (const decision of [null, false, {}, 'yes'])
    expect(refusal({ input: 'x', decision })).toMatchObject({ code: 'ERR_NO_PENDING_ASK', status: 409 });
});

it('D15 takes the presence of an op, null included, as no turn, before decision and input', () => {
  for (const op of [null, 'session-list', 3])
    expect(refusal({ input: 'x', decision: {}, op })).toMatchObject({ code: 'ERR_INVALID_WIRE_OP', status: 400 });
});

it('D5 judges the op before the session id, and the session id before what is asked', () => {
  expect(refusal({ op: 'x', sessionId: '' }).code).toBe('ERR_INVALID_WIRE_OP');
  expect(refusal({ sessionId: '', decision: true }).code).toBe('ERR_INVALID_SESSION_ID');
});
