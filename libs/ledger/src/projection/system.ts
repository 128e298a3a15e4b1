import { isCuttable } from '../schema/cuts.js';
import { readEvent } from './readable.js';
import type { Projection } from './projection.js';

/** Hosts and their counts (E11), operators' freezes (P6), and what retention took away (X3). */
export const projectSystem: Projection = (record, changes, { T }) => {
  const reading = readEvent(record);
  if (!reading) return undefined;
  if ('why' in reading) return reading.why;
  const { event } = reading;
  const at = record.timestamp;
  switch (event.type) {
    case 'host.started':
    case 'host.alive':
    case 'host.stopped': {
      const { hostId, bootId, version, foldVersion, lastSeq, durableSeq } = event.data;
      changes.put('host', {
        host_id: hostId,
        boot_id: bootId,
        version,
        fold_version: foldVersion,
        last_seq: lastSeq,
        durable_seq: durableSeq,
        alive_at: at,
        alive_offset: record.offset,
        alive_time: T,
        ...(event.type === 'host.started' && { started_at: at, started_offset: record.offset }),
        ...(event.type === 'host.stopped' && { stopped_at: at }),
      });
      return undefined;
    }
    case 'freeze.set': {
      const { freezeId, target, by, why } = event.data;
      changes.put('freeze', { freeze_id: freezeId, kind: target.kind, name: target.name ?? null, set_by: by, why, set_at: at });
      return undefined;
    }
    case 'freeze.lifted': {
      const { freezeId, by, why } = event.data;
      changes.put('freeze', { freeze_id: freezeId, lifted_by: by, lifted_why: why ?? null, lifted_at: at });
      return undefined;
    }
    case 'retention.applied': {
      const { topic, partition, before } = event.data;
      if (!isCuttable(topic)) return 'retention of a topic that is never cut';
      changes.put('retention', { topic, partition, before, at });
      changes.cut({ topic, partition, before });
      return undefined;
    }
    default:
      return undefined;
  }
};
