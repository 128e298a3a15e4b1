import { Type } from '@sinclair/typebox';
import { fact, optional } from '../fact.js';
import { RecordPosition, Ref, literals } from '../fields.js';
import { topics } from '../topics.js';

/** Facts about a session itself carry no id of their own: the record's key is the session's reference. */
const subject = { sessionRef: Ref };

export const SessionClosed = fact(
  'session.closed',
  topics.session,
  'sessionRef',
  'The session is over for good; it is the `closed` spend of a pending request too.',
  {
    ...subject,
    reason: literals('owner', 'operator', 'revoked', 'erased', 'idle'),
    by: optional(Ref),
  },
);

export const SessionErased = fact('session.erased', topics.session, 'sessionRef', "The session's content keys and names are gone.", {
  ...subject,
  by: optional(Ref),
});

export const SessionRepaired = fact(
  'session.repaired',
  topics.session,
  'sessionRef',
  "An operator's word on a record nobody can read (L8).",
  {
    ...subject,
    position: RecordPosition,
    treatAs: Type.Literal('void'),
    by: Ref,
  },
);
