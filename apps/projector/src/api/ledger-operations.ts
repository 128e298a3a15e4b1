import { CENSUS_DIMENSIONS, CLOSE_REASONS, CONSENT_STATES, MAX_PAGE, TOOL_CALL_STATES, TOOL_SESSION_STATES } from '@doorledger/ledger';
import { fields, type Operations, type Schema } from '@doorledger/openapi';

const word = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
const name = (description: string): Schema => ({ type: 'string', minLength: 1, maxLength: 400, description });

const at = {
  at: { type: 'string', description: 'A position, topic:partition:offset: the answer waits at most 2 s until the ledger has it (P3).' },
} as const;
const paged = {
  limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, description: 'Items of one page.' },
  cursor: { type: 'string', description: 'Of the page before.' },
} as const;
const page = { ...paged, ...at } as const;
const session = { session: name('A session’s reference or its id.') } as const;
const time: Schema = { type: 'string', format: 'date-time' };

const everybody = 'callers, who see their own; auditors and operators, who see all';
const auditors = 'auditors and operators';
const operators = 'operators';

/** The ledger API (P2). */
export const ledgerOperations = {
  readMe: {
    method: 'get',
    path: '/v1/me',
    summary: 'Who asks, and where a person signs in.',
    who: 'everybody',
    query: {},
    answers: { 200: '`{open, signedIn, name?, userRef?, roles, tenant?, signIn?}`' },
  },
  beginSignIn: {
    method: 'get',
    path: '/auth/sign-in',
    summary: 'Sends a browser to the identity provider; `to` is the path it comes back to.',
    who: 'browsers',
    query: { to: { type: 'string', description: 'A path of this deployment.' } },
    answers: { 303: 'To the provider.' },
    type: 'text/html',
  },
  finishSignIn: {
    method: 'get',
    path: '/auth/callback',
    summary: 'Where the identity provider sends a browser back to.',
    who: 'browsers',
    answers: { 303: 'Signed in, and back to where the person was.' },
    type: 'text/html',
  },
  signOut: {
    method: 'post',
    path: '/auth/sign-out',
    summary: 'Takes the browser’s cookie away.',
    who: 'pages of this deployment',
    body: fields({}),
    answers: { 204: 'Signed out.' },
  },
  listSessions: {
    method: 'get',
    path: '/v1/sessions',
    summary: 'Sessions by their last activity, newest first.',
    who: everybody,
    query: {
      find: name(
        'A session’s id, its reference or the first four digits or more of it, a user’s reference, a turn, a request or a position.',
      ),
      ...page,
    },
    answers: { 200: 'A page of sessions.' },
  },
  readTimeline: {
    method: 'get',
    path: '/v1/sessions/:id/timeline',
    summary: 'Every fact of a session in the order of the log, standing and void.',
    who: everybody,
    query: page,
    answers: { 200: 'A page of facts.' },
  },
  listConsents: {
    method: 'get',
    path: '/v1/consents',
    summary: 'Requests for consent; never arguments.',
    who: 'parties, deciders, auditors and operators',
    query: {
      state: word(...CONSENT_STATES),
      server: name('A tool server.'),
      tool: name('A tool.'),
      ...session,
      turn: name('A turn.'),
      ...page,
    },
    answers: { 200: 'A page of requests.' },
  },
  readConsent: {
    method: 'get',
    path: '/v1/consents/:id',
    summary: 'One request, with every vote and spend that was tried.',
    who: 'parties, deciders, auditors and operators',
    query: at,
    answers: { 200: 'The request.' },
  },
  listToolSessions: {
    method: 'get',
    path: '/v1/tool-sessions',
    summary: 'Tool sessions that are open, and how others ended.',
    who: everybody,
    query: {
      state: word(...TOOL_SESSION_STATES),
      ...session,
      server: name('A tool server.'),
      reason: word(...CLOSE_REASONS),
      ...page,
    },
    answers: { 200: 'A page of tool sessions.' },
  },
  countToolSessions: {
    method: 'get',
    path: '/v1/tool-sessions/summary',
    summary: 'How many tool sessions are open, how many began and ended, and how.',
    who: auditors,
    query: { since: word('hour', 'day'), ...at },
    answers: { 200: 'Counts.' },
  },
  listToolCalls: {
    method: 'get',
    path: '/v1/tool-calls',
    summary: 'Tool calls and how they ended.',
    who: everybody,
    query: {
      state: word(...TOOL_CALL_STATES),
      ...session,
      turn: name('A turn.'),
      server: name('A tool server.'),
      tool: name('A tool.'),
      ...page,
    },
    answers: { 200: 'A page of tool calls.' },
  },
  readLedgerTurn: {
    method: 'get',
    path: '/v1/turns/:id',
    summary: 'A turn’s state.',
    who: everybody,
    query: at,
    answers: { 200: 'The turn.' },
  },
  listIngress: {
    method: 'get',
    path: '/v1/ingress',
    summary: 'How the doors answered, request by request, newest first.',
    who: auditors,
    query: { ...session, ...page },
    answers: { 200: 'A page of ingress records.' },
  },
  readCensus: {
    method: 'get',
    path: '/v1/census',
    summary: 'How many requests the doors answered how.',
    who: auditors,
    query: {
      by: { type: 'string', description: `A list of ${CENSUS_DIMENSIONS.join(', ')}.` },
      from: time,
      to: time,
      window: word('minute', 'hour', 'day'),
      ...at,
    },
    answers: { 200: 'Counts.' },
  },
  checkCensus: {
    method: 'get',
    path: '/v1/census/check',
    summary: 'Whether every host’s places add up (E12).',
    who: auditors,
    query: paged,
    answers: { 200: 'A page of lives of hosts.' },
  },
  readLog: {
    method: 'get',
    path: '/v1/log',
    summary: 'Topics, ends, positions, lag, digest, generation and quarantine.',
    who: auditors,
    query: {},
    answers: { 200: 'Where the ledger stands against the log.' },
  },
  listQuarantined: {
    method: 'get',
    path: '/v1/log/quarantine',
    summary: 'Records that nobody can read, by their place and why; never their content.',
    who: auditors,
    query: paged,
    answers: { 200: 'A page of places.' },
  },
  streamFacts: {
    method: 'get',
    path: '/v1/stream',
    summary: 'Public facts as server-sent events, as they come.',
    who: auditors,
    query: {
      type: { type: 'string', description: 'A list of types of facts or of families, such as turn.*,consent.spent.' },
      from: word('start', 'end'),
    },
    headers: { 'last-event-id': 'The id of the last frame that was read: the stream goes on after it.' },
    answers: { 200: 'Frames, each with one fact and the id to resume after it.' },
    type: 'text/event-stream',
  },
  listWebhooks: {
    method: 'get',
    path: '/v1/webhooks',
    summary: 'Endpoints of webhooks: active or disabled, how many wait, how many are dead (N54).',
    who: operators,
    query: {},
    answers: { 200: '`{items}`' },
  },
  listDeadLetters: {
    method: 'get',
    path: '/v1/webhooks/dead-letters',
    summary: 'Webhooks that are not tried any more, the one made last first.',
    who: operators,
    query: { endpoint: name('An endpoint.'), ...paged },
    answers: { 200: 'A page of dead letters.' },
  },
  redeliverDeadLetter: {
    method: 'post',
    path: '/v1/webhooks/dead-letters/:id/redeliver',
    summary: 'Sends a dead letter anew, with all its tries, and enables its endpoint.',
    who: operators,
    query: {},
    body: fields({}),
    answers: { 200: '`{redelivered}`' },
  },
  redeliverDeadLetters: {
    method: 'post',
    path: '/v1/webhooks/dead-letters/redeliver',
    summary: 'The same with all dead letters of an endpoint.',
    who: operators,
    query: {},
    body: fields({ endpoint: name('An endpoint.') }, 'endpoint'),
    answers: { 200: '`{redelivered}`' },
  },
} as const satisfies Operations;
