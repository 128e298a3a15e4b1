import { integer, must, text, type TableDefinition } from './table.js';

/** Spent ids of other people's ledgers (N40): the first record of a key stands. */
export const decision = {
  key: ['key_print'],
  columns: {
    /** SHA-256 of the record's key, in hex: an id may hold what not every engine takes for text. */
    key_print: must.text,
    partition: integer({ keptWith: 'offset' }),
    offset: integer({ keptWith: 'offset' }),
    /** Null where nobody can read whose spend it is. */
    claim_id: text({ keptWith: 'offset' }),
    /** Log timestamp. */
    at: integer({ keptWith: 'offset' }),
  },
} as const satisfies TableDefinition;
