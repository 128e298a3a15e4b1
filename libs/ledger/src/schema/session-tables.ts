import { integer, must, text, type TableDefinition } from './table.js';

/** Rows that the session topic makes. Every row belongs to one key and so to one partition: no two partitions write the same row. */
export const session = {
  key: ['session_key'],
  columns: {
    session_key: must.text,
    partition: must.integer,
    /** 1 when the key is a session's reference, 0 when a turn without a session is its own key. */
    named: must.integer,
    /** The packed fold state (L9). */
    state: must.text,
    owner: text(),
    /** Of its first standing claim: a key is one tenant's. */
    tenant_ref: text(),
    last_at: must.integer,
    last_offset: must.integer,
    turns: must.integer,
    /** The request id the session waits for. */
    awaiting: text(),
    closed_at: integer(),
    closed_reason: text(),
    /** Offset of the record nobody can read (L8); the partition is the row's own. */
    blocked_by: integer(),
  },
  indexes: [
    ['named', 'last_at', 'session_key'],
    ['owner', 'last_at', 'session_key'],
  ],
  sparseIndexes: [
    { columns: ['blocked_by'], where: 'blocked_by' },
    { columns: ['tenant_ref', 'last_at', 'session_key'], where: 'tenant_ref' },
  ],
} as const satisfies TableDefinition;

/** Standing and waiting runs only: what start-up (L13) and sweeps (L12) read. */
export const open_run = {
  key: ['session_key', 'run_id'],
  columns: {
    session_key: must.text,
    run_id: must.text,
    partition: must.integer,
    turn_id: text(),
    host_id: text(),
    boot_id: text(),
    /** `standing` or `waiting`. */
    status: text(),
    /** Log timestamp of the run's last standing record. */
    quiet_since: integer(),
  },
  indexes: [['host_id'], ['quiet_since']],
} as const satisfies TableDefinition;

export const turn = {
  key: ['turn_id', 'session_key'],
  columns: {
    turn_id: must.text,
    session_key: must.text,
    /** `running`, `waiting`, `paused`, `completed`, `failed`, `abandoned`, `closed`. */
    status: text(),
    run_id: text(),
    host_id: text(),
    boot_id: text(),
    tenant_ref: text({ keptWith: 'tenant_ref' }),
    /** When its first claim came to stand or wait. */
    claimed_at: integer({ keptWith: 'claimed_at' }),
    last_at: integer(),
    ended_at: integer(),
    steps: integer({ greatest: true }),
    tool_calls: integer(),
    live_tool_sessions: integer(),
    awaiting: text(),
    error_code: text(),
    error_name: text(),
    /** The private record that its last standing pause or end names (L10). */
    private_partition: integer(),
    private_offset: integer(),
    private_hash: text(),
    /** The newest private record that any standing record of it names; its partition is the key's own. */
    content_offset: integer({ greatest: true }),
    input_tokens: integer(),
    output_tokens: integer(),
    model: text(),
  },
  indexes: [['session_key', 'claimed_at']],
} as const satisfies TableDefinition;

export const tool_call = {
  key: ['call_id', 'session_key'],
  columns: {
    call_id: must.text,
    session_key: must.text,
    tenant_ref: text(),
    turn_id: text(),
    run_id: text(),
    server: text(),
    tool: text(),
    gated: integer(),
    request_id: text(),
    tool_session_id: text(),
    attempt: integer(),
    /** `dispatched`, `ok`, `error`, `not-sent`, `cancelled`, `outcome-unknown`, `ran`, `did-not-run`. */
    status: text(),
    dispatched_at: integer(),
    ended_at: integer(),
    duration_ms: integer(),
    error_class: text(),
    reconciled_by: text(),
    /** What a late record claims against the standing end. */
    conflict: text(),
  },
  indexes: [
    ['turn_id'],
    ['dispatched_at', 'call_id'],
    ['session_key', 'dispatched_at', 'call_id'],
    ['server', 'dispatched_at', 'call_id'],
    ['tool', 'dispatched_at', 'call_id'],
    ['status', 'dispatched_at', 'call_id'],
  ],
  sparseIndexes: [
    { columns: ['ended_at'], where: 'request_id' },
    { columns: ['tenant_ref', 'dispatched_at', 'call_id'], where: 'tenant_ref' },
  ],
} as const satisfies TableDefinition;

export const consent = {
  key: ['request_id', 'session_key'],
  columns: {
    request_id: must.text,
    session_key: must.text,
    turn_id: text(),
    run_id: text(),
    call_id: text(),
    gate: text(),
    server: text(),
    tool: text(),
    tool_hash: text(),
    rule: text(),
    ledger: text(),
    party_ref: text(),
    tenant_ref: text(),
    quorum: integer(),
    grant_id: text(),
    decide_by: integer(),
    spend_by: integer(),
    replaces: text(),
    /** `pending`, `approved`, `declined`, `closed`, `expired`, `unknown`; `void` when its pause did not follow. */
    status: text(),
    minted_at: integer(),
    settled_at: integer(),
    /** What settled it: `spend`, `run-end`, `session-closed`. */
    settled_with: text(),
    claim_id: text(),
    settled_by: text(),
    reason: text(),
    /** When it was sure that an approved call was not sent and never will be (N22). */
    not_run_at: integer(),
  },
  indexes: [
    ['minted_at', 'request_id'],
    ['status', 'minted_at', 'request_id'],
    ['status', 'tenant_ref', 'minted_at', 'request_id'],
    ['party_ref', 'minted_at', 'request_id'],
    ['session_key', 'minted_at', 'request_id'],
    ['server', 'minted_at', 'request_id'],
    ['tool', 'minted_at', 'request_id'],
    ['turn_id'],
    ['status', 'decide_by'],
    ['status', 'spend_by'],
    ['status', 'quorum'],
  ],
  sparseIndexes: [
    { columns: ['settled_at'], where: 'settled_at' },
    { columns: ['not_run_at'], where: 'not_run_at' },
    { columns: ['tenant_ref', 'minted_at', 'request_id'], where: 'tenant_ref' },
  ],
} as const satisfies TableDefinition;

/** Every vote and spend that was tried, standing or void. */
export const consent_attempt = {
  key: ['partition', 'offset'],
  columns: {
    partition: must.integer,
    offset: must.integer,
    session_key: must.text,
    request_id: text(),
    /** `voted` or `spent`. */
    kind: must.text,
    verdict: text(),
    by: text(),
    claim_id: text(),
    stands: must.integer,
    void_reason: text(),
    at: must.integer,
  },
  indexes: [['request_id']],
} as const satisfies TableDefinition;

/** One row per record of the session topic, for timelines. */
export const fact = {
  key: ['partition', 'offset'],
  columns: {
    partition: must.integer,
    offset: must.integer,
    session_key: must.text,
    event_id: text(),
    type: text(),
    turn_id: text(),
    at: must.integer,
    /** `stands`, `waits`, `void` or `ignored`. */
    verdict: must.text,
    void_reason: text(),
    /** The fact's data as JSON; absent when nobody can read it. */
    data: text(),
    /** The private content it names (L10); that content counts only where this record stands. */
    private_partition: integer(),
    private_offset: integer(),
    private_hash: text(),
  },
  indexes: [['session_key', 'offset']],
} as const satisfies TableDefinition;
