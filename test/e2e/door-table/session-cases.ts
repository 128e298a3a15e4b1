import { canary } from './canary.js';
import { served, type DoorCase, type ExpectedRow } from './door-case.js';

const ofAnn = canary('of-ann');
/** One shape for what is missing, foreign, ownerless or closed. */
export const nobodys = (op: string | undefined, more: Partial<ExpectedRow> = {}): Omit<DoorCase, 'name' | 'ask'> => ({
  status: 404,
  body: 'ERR_SESSION_NOT_FOUND',
  row: {
    door: op ? (op.startsWith('artifact') ? 'artifact' : 'session-op') : 'turn',
    outcome: 'session-refused',
    errorCode: 'ERR_SESSION_NOT_FOUND',
    bearerPresent: true,
    person: 'bob',
    session: ofAnn,
    ...(op && { op }),
    ...more,
  },
});
const op = (name: string, sessionId = ofAnn) => ({ op: name, ref: canary('ref'), sessionId });
const sessionOp = (name: string): ExpectedRow => ({
  door: 'session-op',
  op: name,
  outcome: 'served',
  bearerPresent: true,
  person: 'ann',
  session: ofAnn,
});

/** O1 to O3, O6 and A3: whose session it is. */
export const sessionCases: readonly DoorCase[] = [
  {
    name: 'the first message of a session',
    ask: { body: { input: canary('first'), sessionId: ofAnn } },
    status: 200,
    body: { output: canary('first') },
    row: served({ session: ofAnn }),
  },
  { name: 'a stranger’s message in it', ask: { as: 'bob', body: { input: canary('intruder'), sessionId: ofAnn } }, ...nobodys(undefined) },
  {
    name: 'a stranger’s decision in it',
    ask: { as: 'bob', body: { decision: canary('decision'), sessionId: ofAnn } },
    ...nobodys(undefined),
  },
  ...['session-transcript', 'session-pending', 'session-close', 'artifact-get'].map((name) => ({
    name: `a stranger’s ${name} of it`,
    ask: { as: 'bob', body: op(name) } as const,
    ...nobodys(name),
  })),
  {
    name: 'a message of nobody in it',
    ask: { as: 'nobody', body: { input: canary('nobody'), sessionId: ofAnn } },
    ...nobodys(undefined, { bearerPresent: false, person: undefined }),
  },
  {
    name: 'a message of nobody in a session that can be guessed',
    ask: { as: 'nobody', body: { input: 'x', sessionId: canary('guess') } },
    ...nobodys(undefined, { bearerPresent: false, person: undefined, session: canary('guess') }),
  },
  {
    name: 'a transcript of a session that never was',
    ask: { body: op('session-transcript', canary('never')) },
    ...nobodys('session-transcript', { person: 'ann', session: canary('never') }),
  },
  {
    name: 'what was said in it',
    ask: { body: op('session-transcript') },
    status: 200,
    body: {
      transcript: {
        sessionId: ofAnn,
        messages: [
          { role: 'user', text: canary('first') },
          { role: 'assistant', text: canary('first') },
        ],
      },
    },
    row: sessionOp('session-transcript'),
  },
  {
    name: 'what waits in it',
    ask: { body: op('session-pending') },
    status: 409,
    body: 'ERR_NO_PENDING_ASK',
    row: { ...sessionOp('session-pending'), outcome: 'refused', errorCode: 'ERR_NO_PENDING_ASK' },
  },
  {
    name: 'the sessions of nobody',
    ask: { as: 'nobody', body: { op: 'session-list' } },
    status: 200,
    body: { sessions: [] },
    row: { door: 'session-op', op: 'session-list', outcome: 'served', bearerPresent: false },
  },
  {
    name: 'a page of sessions that nobody gave',
    ask: { body: { op: 'session-list', cursor: canary('cursor') } },
    status: 400,
    body: 'ERR_INVALID_QUERY',
    row: { door: 'session-op', op: 'session-list', outcome: 'refused', errorCode: 'ERR_INVALID_QUERY', bearerPresent: true, person: 'ann' },
  },
  { name: 'closing it', ask: { body: op('session-close') }, status: 200, body: { closed: true }, row: sessionOp('session-close') },
  { name: 'a message in it now', ask: { body: { input: canary('late'), sessionId: ofAnn } }, ...nobodys(undefined, { person: 'ann' }) },
];
