import { readGrantRecord } from './grant-record.js';
import type { Projection } from './projection.js';

/** Grants and their uses (N52), as they were written: which use stands is the fold's to say, when they are read. */
export const projectGrant: Projection = (record, changes) => {
  const read = readGrantRecord(record);
  if (!read) return undefined;
  const { grantId, timestamp, offset } = read;
  switch (read.type) {
    case 'grant.created': {
      const { data } = read;
      changes.put('grant', {
        grant_id: grantId,
        user_ref: data.userRef,
        server: data.server,
        tool: data.tool,
        tool_hash: data.toolHash,
        schema_hash: data.schemaHash,
        until: data.until ?? null,
        count: data.count ?? null,
        granted_by: data.by,
        private_partition: data.private?.partition ?? null,
        private_offset: data.private?.offset ?? null,
        private_hash: data.private?.hash ?? null,
        created_at: timestamp,
        created_offset: offset,
      });
      return undefined;
    }
    case 'grant.used':
      changes.append('grant_use', {
        partition: record.partition,
        offset,
        grant_id: grantId,
        use_id: read.data?.useId ?? null,
        request_id: read.data?.requestId ?? null,
        at: timestamp,
      });
      return undefined;
    case 'grant.revoked':
      changes.put('grant', { grant_id: grantId, revoked_by: read.data?.by ?? null, revoked_at: timestamp, revoked_offset: offset });
      return undefined;
  }
};
