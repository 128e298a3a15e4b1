import { fields, type Operations, type Schema } from '@doorledger/openapi';

const text = (maxLength: number, description: string): Schema => ({ type: 'string', minLength: 1, maxLength, description });
const none = fields({});
const operators = 'operators';
const services = 'services, in their own namespace';
const owner = 'the owner of the session';
const again = { 'idempotency-key': 'The same key again gets the first answer again (D18).' } as const;

/** The host's API (P5). */
export const hostOperations = {
  mintSession: {
    method: 'post',
    path: '/v1/sessions',
    summary: 'A session id that nobody can guess.',
    who: 'callers',
    body: none,
    answers: { 201: '`{sessionId}`' },
  },
  closeSession: {
    method: 'post',
    path: '/v1/sessions/:id/close',
    summary: 'Ends a session: its tool sessions end, and what it waits for is closed.',
    who: owner,
    body: none,
    answers: { 200: '`{closed: true}`' },
  },
  decideConsent: {
    method: 'post',
    path: '/v1/consents/:id/decision',
    summary: 'Approves or declines the exact call that waits.',
    who: 'who may decide it',
    body: fields(
      {
        approved: { type: 'boolean' },
        note: { type: 'string', description: 'For the agent.' },
        value: { description: 'For the agent.' },
        changes: { type: 'object', description: 'The arguments as the decider wants them; the call is bound anew (N55).' },
        requestId: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'The one of the path, if it is given.' },
      },
      'approved',
    ),
    answers: { 200: '`{requestId, verdict, turnId}`', 202: '`{votes}`: a quorum is not complete.' },
  },
  closeConsent: {
    method: 'post',
    path: '/v1/consents/:id/close',
    summary: 'Closes a request: the call never ran and never will, or what stands instead.',
    who: 'its party, its deciders and operators',
    body: none,
    answers: { 200: '`{requestId, verdict, proven, why?}`: what stands; `why` where it is no proof that the call never ran (N33).' },
  },
  readConsentCall: {
    method: 'get',
    path: '/v1/consents/:id/call',
    summary: 'The exact call that waits, whole; a decider’s look is a fact.',
    who: 'its party and its deciders',
    answers: { 200: 'The call and its digest.' },
  },
  readPreviousCall: {
    method: 'get',
    path: '/v1/consents/:id/previous',
    summary: 'The call of the same tool that was approved last before it, to compare with; a decider’s look is a fact.',
    who: 'its party and its deciders',
    answers: { 200: '`{requestId, isSameTool, approvedAt, text, digest}`', 404: 'There was none, or none for the caller to see.' },
  },
  createGrant: {
    method: 'post',
    path: '/v1/grants',
    summary: 'Remembers an approval for calls to come, until a time, for a count, or both.',
    who: 'people, for themselves; approvers',
    body: fields({
      requestId: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of a call that waits; or server, tool and pattern.' },
      server: text(200, 'A tool server.'),
      tool: text(200, 'A tool of it.'),
      pattern: { description: 'A JSON Schema of the arguments it is for.' },
      user: text(200, 'The subject of somebody else.'),
      until: { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'integer' }], description: 'Within a year.' },
      count: { type: 'integer', minimum: 1, maximum: 1000 },
    }),
    answers: { 201: 'The grant.' },
  },
  listGrants: {
    method: 'get',
    path: '/v1/grants',
    summary: 'Grants that are live.',
    who: 'people, who see their own; operators, who see all',
    answers: { 200: '`{items}`' },
  },
  revokeGrant: {
    method: 'delete',
    path: '/v1/grants/:id',
    summary: 'Ends a grant.',
    who: 'who gave or holds it, and operators',
    body: none,
    answers: { 200: 'The grant is over.' },
  },
  readNames: {
    method: 'get',
    path: '/v1/names',
    summary: 'What references stand for, of what is the caller’s own (O8).',
    who: 'callers, of their own sessions',
    query: { sessions: text(3299, 'References of up to 100 sessions, a comma between them.') },
    answers: { 200: '`{sessions}`: ids by reference; those of others are left out' },
  },
  setFreeze: {
    method: 'post',
    path: '/v1/freezes',
    summary: 'Stops a tool, a server, a tenant, a user or everything (P6).',
    who: operators,
    body: fields(
      {
        target: fields(
          { kind: { type: 'string', enum: ['tool', 'server', 'tenant', 'user', 'everything'] }, name: text(1000, 'What of that kind.') },
          'kind',
        ),
        why: text(1000, 'Kept on the log for ever: no secrets.'),
      },
      'target',
      'why',
    ),
    answers: { 201: 'The freeze.' },
  },
  listFreezes: { method: 'get', path: '/v1/freezes', summary: 'What is frozen.', who: operators, answers: { 200: '`{items}`' } },
  liftFreeze: {
    method: 'delete',
    path: '/v1/freezes/:id',
    summary: 'Lets it go on.',
    who: operators,
    body: fields({ why: text(1000, 'Kept on the log for ever: no secrets.') }),
    answers: { 200: 'The freeze is lifted.' },
  },
  reconcileToolCall: {
    method: 'post',
    path: '/v1/tool-calls/:id/reconcile',
    summary: 'A person’s word on a call whose end nobody knows.',
    who: operators,
    body: fields(
      {
        verdict: { type: 'string', enum: ['ran', 'did-not-run'] },
        attempt: { type: 'integer', minimum: 1 },
        why: text(1000, 'Kept on the log for ever: no secrets.'),
      },
      'verdict',
    ),
    answers: { 200: 'What stands.' },
  },
  revokeUser: {
    method: 'post',
    path: '/v1/users/:id/revoke',
    summary: 'Ends a person’s sessions, conversations and requests.',
    who: operators,
    body: none,
    answers: { 200: 'The sign-in is revoked.' },
  },
  erase: {
    method: 'post',
    path: '/v1/erasures',
    summary: 'What a session or a person said can never be read again (X2): name one of `session`, `sessionRef` and `userRef`.',
    who: operators,
    body: fields({
      session: text(400, 'A session id.'),
      tenant: text(200, 'With `session`, where sessions have one.'),
      sessionRef: { type: 'string', pattern: '^[0-9a-f]{32}$' },
      userRef: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    }),
    answers: { 200: 'The receipt, once all of it is done.' },
  },
  readDecisionLedger: {
    method: 'get',
    path: '/v1/ledger',
    summary: 'Which log is spent in, and whose ids these are (N40).',
    who: services,
    answers: { 200: '`{storeId, namespace}`' },
  },
  spendDecision: {
    method: 'post',
    path: '/v1/ledger/spend',
    summary: 'Spends an id once; the same claimId again hears the same.',
    who: services,
    body: fields({ id: text(400, 'Of the service’s own.'), claimId: { type: 'string', format: 'uuid' } }, 'id'),
    answers: { 200: '`{spent, storeId}`' },
  },
  findSpent: {
    method: 'get',
    path: '/v1/ledger/spent',
    summary: 'Whether an id is spent, for ids that no path can hold.',
    who: services,
    query: { id: text(400, 'The id.') },
    answers: { 200: '`{spent, storeId}`' },
  },
  readSpent: {
    method: 'get',
    path: '/v1/ledger/spent/:id',
    summary: 'Whether an id is spent.',
    who: services,
    answers: { 200: '`{spent, storeId}`' },
  },
  fileIngress: {
    method: 'post',
    path: '/v1/ledger/ingress',
    summary: 'Files 1 to 500 records of somebody else’s door (N41), each once by its id.',
    who: services,
    body: fields(
      {
        door: text(64, 'Which door; letters, digits, ".", "_" and "-".'),
        bootId: { type: 'string', format: 'uuid', description: 'One life of it.' },
        records: {
          type: 'array',
          items: { type: 'object' },
          description: 'The fields of spec/5-ingress.md with an id (UUID, version 7) and a seq.',
        },
      },
      'door',
      'bootId',
      'records',
    ),
    answers: { 200: '`{filed}`' },
  },
  readTurn: {
    method: 'get',
    path: '/v1/turns/:id',
    summary: 'A turn’s state, and to its asker the output; with `Accept: text/event-stream` its stream.',
    who: 'the asker, auditors and operators',
    headers: { 'last-event-id': 'The id of the last frame that was read: the stream goes on after it.' },
    answers: { 200: 'The turn.' },
  },
} as const satisfies Operations;

/** The doors themselves, at the path that the configuration gives them; spec/1-doors.md is their contract. */
export const doorOperations = (path: string): Operations => ({
  invoke: {
    method: 'post',
    path,
    summary: 'A turn, a decision of the asker, a session or artifact operation; with `Accept: text/event-stream` a stream.',
    who: 'callers',
    headers: { ...again, 'x-session-id': 'The session, where the body names none.' },
    body: { type: 'object', description: 'One of the documents of docs/spec/1-doors.md.' },
    answers: { 200: 'The output.', 202: 'The turn waits for a person.' },
  },
  invocations: {
    method: 'post',
    path: '/invocations',
    summary: 'The same, as Amazon Bedrock AgentCore Runtime asks.',
    who: 'AgentCore Runtime',
    body: { type: 'object' },
    answers: { 200: 'The output.', 202: 'The turn waits for a person.' },
  },
  ping: { method: 'get', path: '/ping', summary: 'Whether turns run.', who: 'AgentCore Runtime', answers: { 200: 'The state.' } },
});
