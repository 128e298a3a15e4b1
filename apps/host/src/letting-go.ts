import { topics } from '@doorledger/contracts';
import type { KnownPersons } from '@doorledger/doors';
import type { RecordBatch } from '@doorledger/event-log';
import type { ContentKeys } from '@doorledger/privacy';

/**
 * Drops what a host holds of sessions and persons that the log says are gone (X2). A session's key is dropped at its close, and once more when
 * it is destroyed, for it may have been read in between. `onRevoked` is told of persons whose sign-in was revoked (T21).
 */
export function lettingGo(
  keys: Pick<ContentKeys, 'drop'>,
  persons: Pick<KnownPersons, 'forget'>,
  onRevoked: (userRefs: readonly string[]) => void,
): (batch: RecordBatch) => void {
  return ({ topic, records }) => {
    const revoked: string[] = [];
    for (const { key, decoded } of records) {
      const { type, body } = decoded;
      if (topic === topics.session.name) {
        const isGone = type === 'session.erased' || (type === 'session.closed' && body?.data.reason === 'erased');
        if (isGone) keys.drop({ kind: 'session', ref: key });
      } else if (topic === topics.system.name && type === 'identity.revoked' && body) {
        const userRef = body.data.userRef as string;
        keys.drop({ kind: 'person', ref: userRef });
        persons.forget(userRef);
        revoked.push(userRef);
      }
    }
    if (revoked.length > 0) onRevoked(revoked);
  };
}
