import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { EpochMs, ErrorClass, Millis, Name, RecordPosition, Ref, Sha256, Uuid, literals } from '../fields.js';
import { topics } from '../topics.js';

const attempt = Type.Integer({ minimum: 1 });
const call = { turnId: Uuid, runId: Uuid, callId: Uuid, attempt };

export const ToolCallDispatched = fact(
  'tool-call.dispatched',
  topics.session,
  'callId',
  'The host will send this attempt once this record is seen to stand (L3).',
  {
    ...call,
    server: Name,
    tool: Name,
    gated: Type.Boolean(),
    requestId: optional(Sha256),
    spend: optional(RecordPosition),
    notAfter: optional(EpochMs),
    toolSessionId: optional(Uuid),
  },
);

export const ToolCallAttempted = fact('tool-call.attempted', topics.session, 'callId', 'One try of a retry series after 429 (M3).', {
  ...call,
  try: Type.Integer({ minimum: 1 }),
  httpStatus: optional(Type.Integer({ minimum: 100, maximum: 599 })),
  waitMs: Millis,
});

export const ToolCallFinished = fact('tool-call.finished', topics.session, 'callId', 'How this attempt ended, as its host knows.', {
  ...call,
  outcome: literals('ok', 'error', 'not-sent', 'cancelled'),
  errorClass: optional(ErrorClass),
  durationMs: Millis,
});

export const ToolCallReconciled = fact(
  'tool-call.reconciled',
  topics.session,
  'callId',
  'A person says what became of a call nobody knew the end of.',
  {
    callId: Uuid,
    attempt,
    verdict: literals('ran', 'did-not-run'),
    by: Ref,
    /** Added with the console, which asks for it. */
    why: optional(Type.String({ maxLength: 1000 })),
  },
);
