import { fact, optional } from '../fact.js';
import { Count, ErrorClass, HostId, KeyHash, Millis, Name, Ref, Uuid, literals } from '../fields.js';
import { topics } from '../topics.js';

const opened = {
  toolSessionId: Uuid,
  server: Name,
  tool: Name,
  scope: literals('session', 'run', 'call', 'shutdown'),
  keyHash: KeyHash,
  label: optional(Name),
  hostId: HostId,
  bootId: Uuid,
  sessionRef: optional(Ref),
  turnId: Uuid,
  runId: Uuid,
  callId: Uuid,
};
const closed = {
  ...opened,
  calls: Count,
  reason: literals(
    'call-end',
    'run-end',
    'session-end',
    'idle',
    'max-age',
    'evicted',
    'shutdown',
    'revoked',
    'upstream-gone',
    'handle-lost',
    'host-lost',
  ),
  cleanupMs: Millis,
  ageMs: Millis,
};

export const ToolSessionStarted = fact(
  'tool-session.started',
  topics.toolSession,
  'toolSessionId',
  'A tool session was opened under an isolation key.',
  opened,
);
export const ToolSessionReused = fact('tool-session.reused', topics.toolSession, 'toolSessionId', 'The same key called again.', {
  ...opened,
  calls: Count,
});
export const ToolSessionClosed = fact(
  'tool-session.closed',
  topics.toolSession,
  'toolSessionId',
  'It was closed, and why; the first per id stands (T40).',
  closed,
);
export const ToolSessionCloseFailed = fact('tool-session.close-failed', topics.toolSession, 'toolSessionId', 'Closing it went wrong.', {
  ...closed,
  errorClass: ErrorClass,
});
