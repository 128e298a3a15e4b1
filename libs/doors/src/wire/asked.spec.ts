import fc from 'fast-check';
import { readAsked } from './asked.js';
import { sessionIdProblem } from './session-id.js';
import { bodyOf } from './terminal.js';

const refusal = (fields: object, elsewhere?: string) => {
  const asked = readAsked(fields as Record<string, unknown>, elsewhere);
  if (!('refused' in asked) || asked.refused.kind !== 'fail') throw new Error('was not refused');
  return asked.refused;
};

it('D10 takes an input that is absent or no string as an empty message', () => {
  for (const fields of [{}, { input: '' }, { input: 1 }, { input: null }, { input: ['x'] }])
    expect(readAsked(fields, undefined)).toEqual({ kind: 'turn', input: '' });
  expect(readAsked({ input: ' ' }, undefined)).toEqual({ kind: 'turn', input: ' ' });
});

it('D11 takes the session a body names by a string, else the one named elsewhere', () => {
  expect(readAsked({ input: 'x', sessionId: 'body' }, 'header')).toMatchObject({ sessionId: 'body' });
  for (const sessionId of [undefined, null, 7, {}])
    expect(readAsked({ input: 'x', sessionId }, 'header')).toMatchObject({ sessionId: 'header' });
  expect(readAsked({ input: 'x' }, undefined)).toEqual({ kind: 'turn', input: 'x' });
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
    const asOperand = id.trim() === '' ? [] : [refusal({ op: 'session-transcript', sessionId: id })];
    for (const refused of [
      refusal({ input: 'x', sessionId: id }),
      refusal({ input: 'x' }, id),
      refusal({ op: 'session-list' }, id),
      ...asOperand,
    ]) {
      expect(refused).toMatchObject({ code: 'ERR_INVALID_SESSION_ID', status: 400, details: { reason } });
      if (id.length > 3) expect(JSON.stringify(bodyOf(refused))).not.toContain(id);
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
    expect(readAsked({ input: 'x', decision }, undefined)).toEqual({ kind: 'decision', decision });
});

it('D15 takes the presence of an op, null included, as no turn, and says in one wording what is known', () => {
  const bad = [null, 3, 'session', 'constructor', 'session-list '].map((op) => ({ input: 'x', decision: {}, op }));
  const blank = [{ op: 'artifact-get' }, { op: 'artifact-head', ref: ' ' }, { op: 'artifact-get', ref: 7 }, { op: 'session-close' }];
  const answers = [...bad, ...blank, { op: 'session-transcript', sessionId: ' ' }].map((fields) => refusal(fields));
  expect(new Set(answers.map((a) => JSON.stringify(a)))).toHaveProperty('size', 1);
  expect(answers[0]).toMatchObject({
    code: 'ERR_INVALID_WIRE_OP',
    status: 400,
    error: expect.stringContaining('session-transcript {sessionId}'),
  });
});

it('D15 reads every op with its operand, and takes the session from elsewhere too', () => {
  expect(readAsked({ op: 'session-list', cursor: 'c' }, undefined)).toEqual({ kind: 'session-op', op: 'session-list', cursor: 'c' });
  for (const op of ['session-transcript', 'session-pending', 'session-close']) {
    expect(readAsked({ op, sessionId: 's' }, undefined)).toEqual({ kind: 'session-op', op, sessionId: 's' });
    expect(readAsked({ op }, 's')).toEqual({ kind: 'session-op', op, sessionId: 's' });
  }
  expect(readAsked({ op: 'artifact-get', ref: 'r' }, 's')).toEqual({ kind: 'artifact-op', op: 'artifact-get', ref: 'r', sessionId: 's' });
});

it('D5 judges the op before the session id, and the session id before what is asked', () => {
  expect(refusal({ op: 'x', sessionId: '' }).code).toBe('ERR_INVALID_WIRE_OP');
  expect(refusal({ sessionId: '', decision: true }).code).toBe('ERR_INVALID_SESSION_ID');
});
