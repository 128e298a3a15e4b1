import { readEvent } from './readable.js';
import type { Projection } from './projection.js';

/** `<outcome>/<door>/<cause>`, as refusals of one cause are counted (E6); any other reason is the cause itself. */
function floodOf(reason: string): { readonly outcome: string | null; readonly door: string | null; readonly cause: string | null } {
  const [outcome, door, cause, ...more] = reason.split('/');
  if (!outcome || !door || cause === undefined || more.length > 0) return { outcome: null, door: null, cause: reason };
  return { outcome, door, cause: cause || null };
}

/** Ingress records are one row per record and place in their host's count, counts one row per event (spec 9, E11). */
export const projectIngress: Projection = (record, changes) => {
  const reading = readEvent(record);
  if (!reading) return undefined;
  if ('why' in reading) return reading.why;
  const { event } = reading;
  const { partition, offset } = record;
  switch (event.type) {
    case 'ingress.recorded': {
      const { data } = event;
      changes.put('ingress', {
        host_id: data.hostId,
        boot_id: data.bootId,
        seq: data.seq,
        event_print: Number.parseInt(event.id.slice(-12), 16),
        external: data.source ? 1 : 0,
        partition,
        offset,
        at: data.at,
        door: data.door,
        op: data.op ?? null,
        outcome: data.outcome,
        error_code: data.errorCode ?? null,
        error_name: data.errorName ?? null,
        identity_failure: data.identityFailure ?? null,
        claimed_user: data.claimedUser ? 1 : 0,
        user_ref: data.userRef ?? null,
        tenant_ref: data.tenantRef ?? null,
        session_key: data.sessionRef ?? null,
        bearer_present: data.bearerPresent ? 1 : 0,
        admission: data.admission ?? null,
        turn_artifacts_failure: data.turnArtifactsFailure ?? null,
        turn_id: data.turnId ?? null,
        duration_ms: data.durationMs,
      });
      return undefined;
    }
    case 'ingress.counted': {
      const { hostId, bootId, reason, from, to, count, seqs } = event.data;
      changes.put('ingress_count', {
        event_id: event.id,
        partition,
        offset,
        host_id: hostId,
        boot_id: bootId,
        reason,
        ...floodOf(reason),
        from_at: from,
        to_at: to,
        count,
        seqs: JSON.stringify(seqs),
      });
      return undefined;
    }
    default:
      return undefined;
  }
};
