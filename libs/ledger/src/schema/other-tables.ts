import { blob, integer, must, text, type TableDefinition } from './table.js';

/** A partition in the key means: a copy in the same partition is the same row, and no two partitions write one row. */
export const tool_session = {
  key: ['tool_session_id', 'key_hash'],
  columns: {
    tool_session_id: must.text,
    key_hash: must.text,
    server: text(),
    tool: text(),
    scope: text(),
    label: text(),
    host_id: text(),
    boot_id: text(),
    /** Whose call opened it: the key of that turn on the session topic, and the call. */
    session_key: text({ keptWith: 'session_key' }),
    turn_id: text({ keptWith: 'turn_id' }),
    run_id: text({ keptWith: 'run_id' }),
    call_id: text({ keptWith: 'call_id' }),
    /** Log timestamp of its first fact. */
    started_at: integer({ keptWith: 'started_at' }),
    used_at: integer(),
    calls: integer({ greatest: true }),
    /** The first close stands (T40). */
    closed_at: integer({ keptWith: 'closed_at' }),
    close_reason: text({ keptWith: 'closed_at' }),
    close_error_class: text({ keptWith: 'closed_at' }),
    cleanup_ms: integer({ keptWith: 'closed_at' }),
    age_ms: integer({ keptWith: 'closed_at' }),
  },
  indexes: [
    ['started_at', 'tool_session_id'],
    ['session_key', 'started_at', 'tool_session_id'],
    ['server', 'started_at', 'tool_session_id'],
    ['close_reason', 'started_at', 'tool_session_id'],
    ['closed_at', 'host_id', 'boot_id'],
  ],
} as const satisfies TableDefinition;

export const ingress = {
  key: ['host_id', 'boot_id', 'seq', 'external', 'partition', 'event_print'],
  columns: {
    host_id: must.text,
    boot_id: must.text,
    seq: must.integer,
    /** 48 random bits of the event's id: copies of one record are one row, two records of one place are two (E12). */
    event_print: must.integer,
    /** 1 for records of somebody else's door (N41): outside the host's own count. */
    external: must.integer,
    partition: must.integer,
    offset: must.integer,
    at: must.integer,
    door: must.text,
    op: text(),
    outcome: must.text,
    error_code: text(),
    error_name: text(),
    identity_failure: text(),
    claimed_user: integer(),
    user_ref: text(),
    tenant_ref: text(),
    session_key: text(),
    bearer_present: must.integer,
    admission: text(),
    turn_artifacts_failure: text(),
    turn_id: text(),
    duration_ms: must.integer,
  },
  indexes: [['at', 'partition', 'offset']],
  sparseIndexes: [
    { columns: ['session_key', 'at', 'partition', 'offset'], where: 'session_key' },
    { columns: ['tenant_ref', 'at', 'partition', 'offset'], where: 'tenant_ref' },
  ],
} as const satisfies TableDefinition;

export const ingress_count = {
  key: ['event_id', 'partition'],
  columns: {
    event_id: must.text,
    partition: must.integer,
    offset: must.integer,
    host_id: must.text,
    boot_id: must.text,
    reason: must.text,
    /** What a merged refusal's record would have said (E6); null where the door decided nothing (E4). */
    outcome: text(),
    door: text(),
    cause: text(),
    from_at: must.integer,
    to_at: must.integer,
    count: must.integer,
    /** The fact's delta-coded ranges, as JSON (E11). */
    seqs: must.text,
  },
  indexes: [['host_id', 'boot_id', 'event_id'], ['from_at']],
} as const satisfies TableDefinition;

export const host = {
  key: ['host_id', 'boot_id'],
  columns: {
    host_id: must.text,
    boot_id: must.text,
    version: text(),
    fold_version: integer(),
    last_seq: integer({ greatest: true }),
    durable_seq: integer({ greatest: true }),
    started_at: integer({ keptWith: 'started_at' }),
    alive_at: integer({ greatest: true }),
    /** Places of its first word and of its last one, and T there: what says without any clock that a life is over (L6). */
    started_offset: integer({ keptWith: 'started_offset' }),
    alive_offset: integer({ greatest: true }),
    alive_time: integer({ greatest: true }),
    stopped_at: integer({ keptWith: 'stopped_at' }),
  },
  indexes: [['host_id', 'started_offset']],
} as const satisfies TableDefinition;

/** An operator's freezes (P6): the first set stands, and the first lift ends it, whichever comes first. */
export const freeze = {
  key: ['freeze_id'],
  columns: {
    freeze_id: must.text,
    kind: text({ keptWith: 'set_at' }),
    /** `server.tool`, a server, a tenant's or a person's reference; null for `everything`. */
    name: text({ keptWith: 'set_at' }),
    set_by: text({ keptWith: 'set_at' }),
    why: text({ keptWith: 'set_at' }),
    set_at: integer({ keptWith: 'set_at' }),
    lifted_by: text({ keptWith: 'lifted_at' }),
    lifted_why: text({ keptWith: 'lifted_at' }),
    lifted_at: integer({ keptWith: 'lifted_at' }),
  },
} as const satisfies TableDefinition;

/** Ciphertext by its place in the private topic; it counts only where a standing `fact` names it (L10). */
export const message = {
  key: ['partition', 'offset'],
  columns: {
    partition: must.integer,
    offset: must.integer,
    session_key: must.text,
    type: must.text,
    turn_id: must.text,
    run_id: must.text,
    at: must.integer,
    key_id: must.text,
    sealed: blob(),
    messages: integer(),
    /** SHA-256 of the record's value, or of the whole content when it is split. */
    hash: must.text,
    part: integer(),
    parts: integer(),
  },
  sparseIndexes: [{ columns: ['session_key', 'hash'], where: 'parts' }],
} as const satisfies TableDefinition;

/** Ciphertext of files by its place: a part that was appended twice is there twice. */
export const artifact = {
  key: ['partition', 'offset'],
  columns: {
    partition: must.integer,
    offset: must.integer,
    artifact_ref: must.text,
    part: must.integer,
    parts: must.integer,
    session_key: must.text,
    turn_id: must.text,
    run_id: must.text,
    at: must.integer,
    key_id: must.text,
    sealed: blob(),
    hash: must.text,
  },
  indexes: [['artifact_ref']],
} as const satisfies TableDefinition;

/** Erasable names: of persons and of sessions. The last one counts. */
export const subject = {
  key: ['ref'],
  columns: {
    ref: must.text,
    /** `person` or `session`. */
    kind: must.text,
    partition: must.integer,
    offset: must.integer,
    key_id: must.text,
    sealed: blob(),
  },
} as const satisfies TableDefinition;

/** Where reading of each partition stands (L9): next offset, leader epoch, last log timestamp, fold time T, and the chain so far (V1). */
export const projection_offset = {
  key: ['topic', 'partition'],
  columns: {
    topic: must.text,
    partition: must.integer,
    next: must.integer,
    epoch: must.integer,
    timestamp: must.integer,
    fold_time: must.integer,
    /** Of a partition that was cut, a replay has another chain. */
    chain_from: integer({ outsideDigest: true }),
    chain_head: text({ outsideDigest: true }),
  },
} as const satisfies TableDefinition;

/** Records of topics without claims that nobody can read: their place and why, never their content. */
export const quarantine = {
  key: ['topic', 'partition', 'offset'],
  columns: {
    topic: must.text,
    partition: must.integer,
    offset: must.integer,
    type: text(),
    why: must.text,
  },
} as const satisfies TableDefinition;

/** Rows made from positions before `before` are gone by rule (X3). */
export const retention = {
  key: ['topic', 'partition'],
  columns: {
    topic: must.text,
    partition: must.integer,
    before: integer({ greatest: true }),
    /** When that was last said: only lives begun before it can have lost rows. */
    at: integer({ greatest: true }),
  },
} as const satisfies TableDefinition;
