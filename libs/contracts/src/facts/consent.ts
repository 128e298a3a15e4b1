import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { EpochMs, Gate, Name, Ref, Sha256, Uuid, literals } from '../fields.js';
import { topics } from '../topics.js';

export const ConsentMinted = fact('consent.minted', topics.session, 'requestId', 'A gated call waits for approval under this id (N2).', {
  requestId: Sha256,
  turnId: Uuid,
  runId: Uuid,
  callId: Uuid,
  gate: Gate,
  server: Name,
  tool: Name,
  toolHash: Sha256,
  rule: optional(Name),
  /** The log's identity it was minted under (N7). */
  ledger: Uuid,
  partyRef: Ref,
  quorum: optional(Type.Integer({ minimum: 1, maximum: 64 })),
  grant: optional(Uuid),
  decideBy: optional(EpochMs),
  spendBy: optional(EpochMs),
  replaces: optional(Sha256),
});

export const ConsentVoted = fact('consent.voted', topics.session, 'requestId', 'One eligible person of a quorum said yes or no.', {
  requestId: Sha256,
  by: Ref,
  approved: Type.Boolean(),
});

export const ConsentSpent = fact(
  'consent.spent',
  topics.session,
  'requestId',
  'The request is settled; only the first standing one counts (N20).',
  {
    requestId: Sha256,
    /** The runId for approved and declined; a fresh UUID for closed and expired. */
    claimId: Uuid,
    verdict: literals('approved', 'declined', 'closed', 'expired'),
    by: optional(Ref),
    reason: optional(Name),
    grant: optional(Uuid),
  },
);

export const GateObserved = fact('gate.observed', topics.session, 'callId', 'A gate under observation would have asked (N16).', {
  turnId: Uuid,
  runId: Uuid,
  callId: Uuid,
  gate: Gate,
  server: Name,
  tool: Name,
  rule: optional(Name),
});
