import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { Count, ErrorClass, ErrorCode, HostId, PrivateRef, Ref, Sha256, Usage, Uuid } from '../fields.js';
import { topics } from '../topics.js';

const run = { turnId: Uuid, runId: Uuid };

export const TurnClaimed = fact(
  'turn.claimed',
  topics.session,
  'turnId',
  'A host asks for the session; the fold of spec 6 says whether it holds it.',
  {
    ...run,
    hostId: HostId,
    bootId: Uuid,
    signer: optional(Ref),
    tenantRef: optional(Ref),
    /** The runId of the last standing claim; null on a session that has none. */
    after: Type.Union([Uuid, Type.Null()]),
    resumes: optional(Sha256),
    wait: optional(Type.Boolean()),
    idempotency: optional(Type.Object({ key: Sha256, body: Sha256 })),
  },
);

export const TurnRenewed = fact('turn.renewed', topics.session, 'turnId', 'The host of a standing or waiting run is still there.', {
  ...run,
});

export const TurnStepped = fact('turn.stepped', topics.session, 'turnId', 'One step of the agent is durable.', {
  ...run,
  step: Type.Integer({ minimum: 1 }),
  private: PrivateRef,
});

export const TurnPaused = fact('turn.paused', topics.session, 'turnId', 'The turn waits for a person; its run has ended.', {
  ...run,
  requestId: Sha256,
  private: PrivateRef,
  liveToolSessions: Count,
});

export const TurnCompleted = fact('turn.completed', topics.session, 'turnId', 'The turn has its answer.', {
  ...run,
  steps: Count,
  toolCalls: Count,
  private: PrivateRef,
  liveToolSessions: Count,
  usage: optional(Usage),
});

export const TurnFailed = fact('turn.failed', topics.session, 'turnId', 'The turn ended without an answer.', {
  ...run,
  errorCode: optional(ErrorCode),
  errorName: ErrorClass,
  private: optional(PrivateRef),
  liveToolSessions: Count,
  usage: optional(Usage),
});

export const TurnLapsed = fact('turn.lapsed', topics.session, 'turnId', "A run's host fell silent past its lease; any host may say so.", {
  ...run,
  by: HostId,
});
