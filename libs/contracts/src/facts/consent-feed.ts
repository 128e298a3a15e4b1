import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { EpochMs, Gate, Name, RecordPosition, Ref, Sha256, Uuid, literals } from '../fields.js';
import { topics } from '../topics.js';

/** Where on the session topic the record lies that this was made of; the event has that record's id. */
const source = { of: RecordPosition };

export const ConsentRequested = fact('consent.requested', topics.consent, 'requestId', 'A person is asked (V5).', {
  requestId: Sha256,
  turnId: Uuid,
  callId: Uuid,
  gate: Gate,
  server: Name,
  tool: Name,
  toolHash: Sha256,
  rule: optional(Name),
  partyRef: Ref,
  quorum: optional(Type.Integer({ minimum: 1, maximum: 64 })),
  grant: optional(Uuid),
  decideBy: optional(EpochMs),
  spendBy: optional(EpochMs),
  replaces: optional(Sha256),
  ...source,
});

export const ConsentSettled = fact('consent.settled', topics.consent, 'requestId', 'What became of a request, once (V5).', {
  requestId: Sha256,
  /** `void`: it was never pending. `unknown`: by a spend that nobody can read. */
  verdict: literals('approved', 'declined', 'closed', 'expired', 'unknown', 'void'),
  by: optional(Ref),
  reason: optional(Name),
  ...source,
});
