import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { Count, Ref, Sha256, Uuid } from '../fields.js';
import { topics } from '../topics.js';

/** AES-256-GCM under a content key (X1): base64 of nonce ‖ ciphertext ‖ tag. */
const Sealed = Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' });
const sealed = {
  keyId: Uuid,
  sealed: Sealed,
  /** Content past the record bound is split: part `index` of `count`, all named by the hash of the whole ciphertext (spec 9). */
  part: optional(Type.Object({ index: Count, count: Type.Integer({ minimum: 2 }), whole: Sha256 })),
};
const ofTurn = { turnId: Uuid, runId: Uuid, ...sealed };

export const SessionNamed = fact(
  'session.named',
  topics.private,
  'sessionRef',
  "A session's id, before the first fact that uses its reference.",
  { sessionRef: Ref, ...sealed },
);
export const SubjectNamed = fact('subject.named', topics.private, 'userRef', "A person's issuer, tenant, subject and name.", {
  userRef: Ref,
  ...sealed,
});
export const MessagesAdded = fact('messages.added', topics.private, 'turnId', 'Messages added since the previous standing record (L14).', {
  ...ofTurn,
  messages: Count,
});
export const PauseStored = fact('pause.stored', topics.private, 'turnId', 'What a paused turn needs to go on.', ofTurn);
export const NoteAdded = fact('note.added', topics.private, 'turnId', "An approver's note.", ofTurn);
export const ArtifactStored = fact('artifact.stored', topics.private, 'turnId', 'A file a turn hands over.', {
  ...ofTurn,
  artifactRef: Uuid,
});
export const GrantStored = fact('grant.stored', topics.private, 'grantId', 'The pattern of the arguments a grant allows (N52).', {
  grantId: Uuid,
  /** Under whose key it is sealed: a person's, or a session's where nobody is known. */
  userRef: Ref,
  ...sealed,
});
