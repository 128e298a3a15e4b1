import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { EpochMs, Name, PrivateRef, Ref, Sha256, Uuid } from '../fields.js';
import { topics } from '../topics.js';

export const DecisionSpent = fact(
  'decision.spent',
  topics.spend,
  'id',
  "A decision of somebody else's ledger; the first per key stands (N40).",
  {
    namespace: Name,
    id: Type.String({ minLength: 1, maxLength: 400 }),
    claimId: Uuid,
  },
);

export const GrantCreated = fact('grant.created', topics.spend, 'grantId', 'A remembered approval (N52).', {
  grantId: Uuid,
  userRef: Ref,
  server: Name,
  tool: Name,
  toolHash: Sha256,
  schemaHash: Sha256,
  until: optional(EpochMs),
  count: optional(Type.Integer({ minimum: 1 })),
  by: Ref,
  /** Where the pattern of the arguments lies, sealed. */
  private: optional(PrivateRef),
});

export const GrantUsed = fact('grant.used', topics.spend, 'grantId', 'One use of a grant, for one request.', {
  grantId: Uuid,
  useId: Uuid,
  requestId: Sha256,
});

export const GrantRevoked = fact('grant.revoked', topics.spend, 'grantId', 'The grant is over.', { grantId: Uuid, by: Ref });
