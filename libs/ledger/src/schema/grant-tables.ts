import { integer, must, text, type TableDefinition } from './table.js';

/** Remembered grants (N52): the first record of a kind stands. */
export const grant = {
  key: ['grant_id'],
  columns: {
    grant_id: must.text,
    /** Whose calls it covers: the party of `consent.minted`. */
    user_ref: text({ keptWith: 'created_offset' }),
    server: text({ keptWith: 'created_offset' }),
    tool: text({ keptWith: 'created_offset' }),
    tool_hash: text({ keptWith: 'created_offset' }),
    schema_hash: text({ keptWith: 'created_offset' }),
    until: integer({ keptWith: 'created_offset' }),
    count: integer({ keptWith: 'created_offset' }),
    granted_by: text({ keptWith: 'created_offset' }),
    /** Where its pattern lies, sealed. */
    private_partition: integer({ keptWith: 'created_offset' }),
    private_offset: integer({ keptWith: 'created_offset' }),
    private_hash: text({ keptWith: 'created_offset' }),
    created_at: integer({ keptWith: 'created_offset' }),
    created_offset: integer({ keptWith: 'created_offset' }),
    revoked_by: text({ keptWith: 'revoked_offset' }),
    revoked_at: integer({ keptWith: 'revoked_offset' }),
    revoked_offset: integer({ keptWith: 'revoked_offset' }),
  },
  indexes: [['created_at', 'grant_id']],
} as const satisfies TableDefinition;

/** Uses of grants as they were written, void ones too. */
export const grant_use = {
  key: ['partition', 'offset'],
  columns: {
    partition: must.integer,
    offset: must.integer,
    grant_id: must.text,
    /** Null for a use that cannot be read. */
    use_id: text(),
    request_id: text(),
    at: must.integer,
  },
  indexes: [['grant_id', 'offset']],
} as const satisfies TableDefinition;
