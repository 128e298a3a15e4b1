import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { Count, EpochMs, ErrorClass, ErrorCode, HostId, Millis, Name, Ref, Uuid, literals } from '../fields.js';
import { topics } from '../topics.js';

/** A request's place in its host's gapless count (E11). */
const place = { hostId: HostId, bootId: Uuid };

export const IngressRecorded = fact('ingress.recorded', topics.ingress, 'hostId', 'How the door answered one request (spec 5).', {
  at: EpochMs,
  door: literals('turn', 'session-op', 'artifact', 'request', 'conversation', 'api'),
  op: optional(Name),
  outcome: literals(
    'served',
    'identity-refused',
    'verifier-unavailable',
    'admission-refused',
    'session-refused',
    'cross-site-refused',
    'refused',
    'failed',
  ),
  errorCode: optional(ErrorCode),
  errorName: optional(ErrorClass),
  identityFailure: optional(
    literals('no-token', 'expired', 'not-yet-valid', 'wrong-audience', 'wrong-issuer', 'unverifiable', 'claimed-another-user'),
  ),
  claimedUser: optional(Type.Literal(true)),
  userRef: optional(Ref),
  /** Of the person that was proven; of a deployment with tenants only. */
  tenantRef: optional(Ref),
  sessionRef: optional(Ref),
  bearerPresent: Type.Boolean(),
  admission: optional(literals('allow', 'queue', 'refuse')),
  turnArtifactsFailure: optional(literals('hook-threw', 'operation-failed', 'timed-out', 'caller-gone')),
  source: optional(Type.Literal('external')),
  turnId: optional(Uuid),
  durationMs: Millis,
  ...place,
  seq: Type.Integer({ minimum: 1 }),
});

export const IngressCounted = fact(
  'ingress.counted',
  topics.ingress,
  'hostId',
  'Requests that have no record of their own, counted exactly (E4, E6).',
  {
    ...place,
    reason: Name,
    from: EpochMs,
    to: EpochMs,
    count: Type.Integer({ minimum: 1 }),
    /** The seqs it stands for: [first, length] ranges, each first given as the distance from the end of the range before. */
    seqs: Type.Array(Type.Tuple([Count, Type.Integer({ minimum: 1 })])),
  },
);
