import fc from 'fast-check';
import { makeAdmission, type AdmissionAsk, type AdmissionPolicy, type AdmissionVerdict } from './admission.js';

const ask: AdmissionAsk = { userKey: 'a1', sessionId: 's', principal: { issuer: 'i', subject: 'ada', roles: [] } };
const answering = (answer: unknown): AdmissionPolicy => ({ admit: async () => answer as AdmissionVerdict });

it('A1 passes on the three verdicts, a wait in whole seconds of at least one', async () => {
  expect(await makeAdmission(answering({ kind: 'allow' }))(ask)).toEqual({ kind: 'allow' });
  expect(await makeAdmission(answering({ kind: 'queue' }))(ask)).toEqual({ kind: 'queue' });
  const refuse = { kind: 'refuse', sentence: 'Not today.', retryAfterS: 7.2 };
  expect(await makeAdmission(answering(refuse))(ask)).toEqual({ ...refuse, retryAfterS: 8 });
  expect(await makeAdmission(answering({ ...refuse, retryAfterS: 0 }))(ask)).toEqual({ ...refuse, retryAfterS: 1 });
});

it('A1 tells the policy who was proven, and for which session', async () => {
  const asked: AdmissionAsk[] = [];
  await makeAdmission({
    admit: async (given) => {
      asked.push(given);
      return { kind: 'allow' };
    },
  })(ask);
  expect(asked).toEqual([ask]);
});

it.each<[unknown]>([
  [undefined],
  [null],
  [true],
  ['allow'],
  [{}],
  [{ kind: 'Allow' }],
  [{ kind: 'allowed' }],
  [['allow']],
  [{ verdict: 'allow' }],
  [{ kind: 'refuse' }],
  [{ kind: 'refuse', sentence: '', retryAfterS: 1 }],
  [{ kind: 'refuse', sentence: 'No.', retryAfterS: 'soon' }],
  [{ kind: 'refuse', sentence: 'No.', retryAfterS: Infinity }],
])('A2 admits nobody on the answer %j', async (answer) => {
  expect(await makeAdmission(answering(answer))(ask)).toEqual({ kind: 'broken' });
});

it('A2 admits nobody when the policy throws, at once or later, and keeps why for the log', async () => {
  const error = new Error('boom');
  const later: AdmissionPolicy = { admit: () => Promise.reject(error) };
  const atOnce: AdmissionPolicy = {
    admit: () => {
      throw error;
    },
  };
  for (const policy of [later, atOnce]) expect(await makeAdmission(policy)(ask)).toEqual({ kind: 'broken', error });
});

it('A2 admits nobody on anything else that a policy might answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (answer) => {
      const kind = (answer as { kind?: unknown } | null | undefined)?.kind;
      fc.pre(kind !== 'allow' && kind !== 'queue' && kind !== 'refuse');
      expect((await makeAdmission(answering(answer))(ask)).kind).toBe('broken');
    }),
  );
});
