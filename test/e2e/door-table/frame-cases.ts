import { canary } from './canary.js';
import { served, type DoorCase, type ExpectedRow } from './door-case.js';

/** One frame of ann's conversation in a session of hers, and how it is answered. */
export interface FrameCase extends Pick<DoorCase, 'name' | 'row' | 'counted'> {
  readonly say: unknown;
  readonly event: string;
  /** As the body of a `DoorCase`. */
  readonly data: unknown;
}

export const talk = canary('talk');
const refused = (errorCode: string, more: Partial<ExpectedRow> = {}): ExpectedRow => ({
  door: 'turn',
  outcome: 'refused',
  errorCode,
  bearerPresent: true,
  person: 'ann',
  session: talk,
  ...more,
});
const foreign = `${talk}-of-bob`;

/** C3, E4 and E9: the same grammar as a body's, frame by frame. */
export const frameCases: readonly FrameCase[] = [
  {
    name: 'a message',
    say: { id: canary('id'), input: canary('said') },
    event: 'complete',
    data: { output: canary('said') },
    row: served({ session: talk }),
  },
  {
    name: 'an empty message',
    say: { id: 2, input: '' },
    event: 'error',
    data: 'ERR_INVALID_RUN_INPUT',
    row: refused('ERR_INVALID_RUN_INPUT'),
  },
  {
    name: 'a decision',
    say: { id: 3, decision: canary('decision') },
    event: 'error',
    data: 'ERR_NO_PENDING_ASK',
    row: refused('ERR_NO_PENDING_ASK', { admission: 'allow', errorName: 'TurnError' }),
  },
  {
    name: 'a session of somebody else',
    say: { id: 4, input: canary('x'), sessionId: foreign },
    event: 'error',
    data: 'ERR_SESSION_NOT_FOUND',
    row: refused('ERR_SESSION_NOT_FOUND', { outcome: 'session-refused', session: foreign }),
  },
  {
    name: 'an artifact that is not there',
    say: { id: 5, op: 'artifact-get', ref: canary('ref') },
    event: 'error',
    data: 'ERR_ARTIFACT_NOT_FOUND',
    row: refused('ERR_ARTIFACT_NOT_FOUND', { door: 'artifact', op: 'artifact-get' }),
  },
  {
    name: 'what was said',
    say: { id: 6, op: 'session-transcript' },
    event: 'sessions',
    data: {
      transcript: {
        sessionId: talk,
        messages: [
          { role: 'user', text: canary('said') },
          { role: 'assistant', text: canary('said') },
        ],
      },
    },
    row: { door: 'session-op', op: 'session-transcript', outcome: 'served', bearerPresent: true, person: 'ann', session: talk },
  },
  {
    name: 'an id that is none',
    say: { id: 7, input: 'x', sessionId: `${canary('id')} x` },
    event: 'error',
    data: { error: expect.any(String), code: 'ERR_INVALID_SESSION_ID', reason: 'invalid-character' },
    row: { door: 'conversation', outcome: 'refused', errorCode: 'ERR_INVALID_SESSION_ID', bearerPresent: true },
  },
  { name: 'an unknown operation', say: { id: 8, op: canary('op') }, event: 'error', data: 'ERR_INVALID_WIRE_OP', counted: 'bad-wire-op' },
  {
    name: 'no JSON',
    say: `{"input":"${canary('broken')}`,
    event: 'error',
    data: { error: expect.any(String) },
    counted: 'unparseable-body',
  },
  {
    name: 'a key twice',
    say: `{"input":"${canary('twice')}","input":"x"}`,
    event: 'error',
    data: { error: expect.any(String) },
    counted: 'unparseable-body',
  },
];
