-- The public topics in ClickHouse: text to start from. doorledger's own tests hold every name and type in it to docs/contracts.
--
-- Each topic has a queue (Kafka engine), a table of its facts, and below them a view for each kind of fact with the columns that
-- `doorledger export` gives it. A value is one CloudEvent in structured mode: the whole event is the value, and `data` is in it.
--
-- A record that is no JSON object goes to doorledger.broken with its place (kafka_handle_error_mode = 'stream') and stops nothing.
-- ClickHouse reads at least once: a record that is read twice has the same place, and ReplacingMergeTree keeps one of each (FINAL).

CREATE DATABASE IF NOT EXISTS doorledger;

CREATE TABLE doorledger.broken
(
    log_topic LowCardinality(String),
    log_partition UInt64,
    log_offset UInt64,
    error String
)
ENGINE = ReplacingMergeTree
ORDER BY (log_topic, log_partition, log_offset);

-- doorledger.session.v1

CREATE TABLE doorledger.session_v1_queue (event String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'localhost:9092',
    kafka_topic_list = 'doorledger.session.v1',
    kafka_group_name = 'analytics-clickhouse',
    kafka_format = 'JSONAsString',
    kafka_handle_error_mode = 'stream';

CREATE TABLE doorledger.session_v1
(
    log_partition UInt64,
    log_offset UInt64,
    log_time DateTime64(3, 'UTC'),
    log_key String,
    event_id String,
    event_type LowCardinality(String),
    event_source String,
    event_subject String,
    event_time DateTime64(3, 'UTC'),
    data String
)
ENGINE = ReplacingMergeTree
ORDER BY (log_partition, log_offset);

CREATE MATERIALIZED VIEW doorledger.session_v1_facts TO doorledger.session_v1 AS
SELECT
    _partition AS log_partition,
    _offset AS log_offset,
    assumeNotNull(_timestamp_ms) AS log_time,
    _key AS log_key,
    JSONExtractString(event, 'id') AS event_id,
    JSONExtractString(event, 'type') AS event_type,
    JSONExtractString(event, 'source') AS event_source,
    JSONExtractString(event, 'subject') AS event_subject,
    parseDateTime64BestEffortOrZero(JSONExtractString(event, 'time'), 3, 'UTC') AS event_time,
    JSONExtractRaw(event, 'data') AS data
FROM doorledger.session_v1_queue
WHERE length(_error) = 0;

CREATE MATERIALIZED VIEW doorledger.session_v1_broken TO doorledger.broken AS
SELECT _topic AS log_topic, _partition AS log_partition, _offset AS log_offset, _error AS error
FROM doorledger.session_v1_queue
WHERE length(_error) > 0;

CREATE VIEW doorledger.consent_minted AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'requestId', 'String') AS `request_id`,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'gate', 'String') AS `gate`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'toolHash', 'String') AS `tool_hash`,
    JSONExtract(data, 'rule', 'Nullable(String)') AS `rule`,
    JSONExtract(data, 'ledger', 'String') AS `ledger`,
    JSONExtract(data, 'partyRef', 'String') AS `party_ref`,
    JSONExtract(data, 'quorum', 'Nullable(Int64)') AS `quorum`,
    JSONExtract(data, 'grant', 'Nullable(String)') AS `grant`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'decideBy', 'Nullable(Int64)'), 'UTC') AS `decide_by`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'spendBy', 'Nullable(Int64)'), 'UTC') AS `spend_by`,
    JSONExtract(data, 'replaces', 'Nullable(String)') AS `replaces`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'consent.minted';

CREATE VIEW doorledger.consent_spent AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'requestId', 'String') AS `request_id`,
    JSONExtract(data, 'claimId', 'String') AS `claim_id`,
    JSONExtract(data, 'verdict', 'String') AS `verdict`,
    JSONExtract(data, 'by', 'Nullable(String)') AS `by`,
    JSONExtract(data, 'reason', 'Nullable(String)') AS `reason`,
    JSONExtract(data, 'grant', 'Nullable(String)') AS `grant`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'consent.spent';

CREATE VIEW doorledger.consent_voted AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'requestId', 'String') AS `request_id`,
    JSONExtract(data, 'by', 'String') AS `by`,
    JSONExtract(data, 'approved', 'Bool') AS `approved`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'consent.voted';

CREATE VIEW doorledger.gate_observed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'gate', 'String') AS `gate`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'rule', 'Nullable(String)') AS `rule`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'gate.observed';

CREATE VIEW doorledger.session_closed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'sessionRef', 'String') AS `session_ref`,
    JSONExtract(data, 'reason', 'String') AS `reason`,
    JSONExtract(data, 'by', 'Nullable(String)') AS `by`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'session.closed';

CREATE VIEW doorledger.session_erased AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'sessionRef', 'String') AS `session_ref`,
    JSONExtract(data, 'by', 'Nullable(String)') AS `by`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'session.erased';

CREATE VIEW doorledger.session_repaired AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'sessionRef', 'String') AS `session_ref`,
    JSONExtract(data, 'position', 'partition', 'Int64') AS `position_partition`,
    JSONExtract(data, 'position', 'offset', 'Int64') AS `position_offset`,
    JSONExtract(data, 'treatAs', 'String') AS `treat_as`,
    JSONExtract(data, 'by', 'String') AS `by`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'session.repaired';

CREATE VIEW doorledger.tool_call_attempted AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'attempt', 'Int64') AS `attempt`,
    JSONExtract(data, 'try', 'Int64') AS `try`,
    JSONExtract(data, 'httpStatus', 'Nullable(Int64)') AS `http_status`,
    JSONExtract(data, 'waitMs', 'Int64') AS `wait_ms`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'tool-call.attempted';

CREATE VIEW doorledger.tool_call_dispatched AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'attempt', 'Int64') AS `attempt`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'gated', 'Bool') AS `gated`,
    JSONExtract(data, 'requestId', 'Nullable(String)') AS `request_id`,
    JSONExtract(data, 'spend', 'partition', 'Nullable(Int64)') AS `spend_partition`,
    JSONExtract(data, 'spend', 'offset', 'Nullable(Int64)') AS `spend_offset`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'notAfter', 'Nullable(Int64)'), 'UTC') AS `not_after`,
    JSONExtract(data, 'toolSessionId', 'Nullable(String)') AS `tool_session_id`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'tool-call.dispatched';

CREATE VIEW doorledger.tool_call_finished AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'attempt', 'Int64') AS `attempt`,
    JSONExtract(data, 'outcome', 'String') AS `outcome`,
    JSONExtract(data, 'errorClass', 'Nullable(String)') AS `error_class`,
    JSONExtract(data, 'durationMs', 'Int64') AS `duration_ms`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'tool-call.finished';

CREATE VIEW doorledger.tool_call_reconciled AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'attempt', 'Int64') AS `attempt`,
    JSONExtract(data, 'verdict', 'String') AS `verdict`,
    JSONExtract(data, 'by', 'String') AS `by`,
    JSONExtract(data, 'why', 'Nullable(String)') AS `why`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'tool-call.reconciled';

CREATE VIEW doorledger.turn_claimed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'signer', 'Nullable(String)') AS `signer`,
    JSONExtract(data, 'tenantRef', 'Nullable(String)') AS `tenant_ref`,
    JSONExtract(data, 'after', 'Nullable(String)') AS `after`,
    JSONExtract(data, 'resumes', 'Nullable(String)') AS `resumes`,
    JSONExtract(data, 'wait', 'Nullable(Bool)') AS `wait`,
    JSONExtract(data, 'idempotency', 'key', 'Nullable(String)') AS `idempotency_key`,
    JSONExtract(data, 'idempotency', 'body', 'Nullable(String)') AS `idempotency_body`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'turn.claimed';

CREATE VIEW doorledger.turn_completed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'steps', 'Int64') AS `steps`,
    JSONExtract(data, 'toolCalls', 'Int64') AS `tool_calls`,
    JSONExtract(data, 'private', 'partition', 'Int64') AS `private_partition`,
    JSONExtract(data, 'private', 'offset', 'Int64') AS `private_offset`,
    JSONExtract(data, 'private', 'hash', 'String') AS `private_hash`,
    JSONExtract(data, 'liveToolSessions', 'Int64') AS `live_tool_sessions`,
    JSONExtract(data, 'usage', 'inputTokens', 'Nullable(Int64)') AS `usage_input_tokens`,
    JSONExtract(data, 'usage', 'outputTokens', 'Nullable(Int64)') AS `usage_output_tokens`,
    JSONExtract(data, 'usage', 'model', 'Nullable(String)') AS `usage_model`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'turn.completed';

CREATE VIEW doorledger.turn_failed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'errorCode', 'Nullable(String)') AS `error_code`,
    JSONExtract(data, 'errorName', 'String') AS `error_name`,
    JSONExtract(data, 'private', 'partition', 'Nullable(Int64)') AS `private_partition`,
    JSONExtract(data, 'private', 'offset', 'Nullable(Int64)') AS `private_offset`,
    JSONExtract(data, 'private', 'hash', 'Nullable(String)') AS `private_hash`,
    JSONExtract(data, 'liveToolSessions', 'Int64') AS `live_tool_sessions`,
    JSONExtract(data, 'usage', 'inputTokens', 'Nullable(Int64)') AS `usage_input_tokens`,
    JSONExtract(data, 'usage', 'outputTokens', 'Nullable(Int64)') AS `usage_output_tokens`,
    JSONExtract(data, 'usage', 'model', 'Nullable(String)') AS `usage_model`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'turn.failed';

CREATE VIEW doorledger.turn_lapsed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'by', 'String') AS `by`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'turn.lapsed';

CREATE VIEW doorledger.turn_paused AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'requestId', 'String') AS `request_id`,
    JSONExtract(data, 'private', 'partition', 'Int64') AS `private_partition`,
    JSONExtract(data, 'private', 'offset', 'Int64') AS `private_offset`,
    JSONExtract(data, 'private', 'hash', 'String') AS `private_hash`,
    JSONExtract(data, 'liveToolSessions', 'Int64') AS `live_tool_sessions`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'turn.paused';

CREATE VIEW doorledger.turn_renewed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'turn.renewed';

CREATE VIEW doorledger.turn_stepped AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'step', 'Int64') AS `step`,
    JSONExtract(data, 'private', 'partition', 'Int64') AS `private_partition`,
    JSONExtract(data, 'private', 'offset', 'Int64') AS `private_offset`,
    JSONExtract(data, 'private', 'hash', 'String') AS `private_hash`
FROM doorledger.session_v1 FINAL
WHERE event_type = 'turn.stepped';

-- doorledger.tool-session.v1

CREATE TABLE doorledger.tool_session_v1_queue (event String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'localhost:9092',
    kafka_topic_list = 'doorledger.tool-session.v1',
    kafka_group_name = 'analytics-clickhouse',
    kafka_format = 'JSONAsString',
    kafka_handle_error_mode = 'stream';

CREATE TABLE doorledger.tool_session_v1
(
    log_partition UInt64,
    log_offset UInt64,
    log_time DateTime64(3, 'UTC'),
    log_key String,
    event_id String,
    event_type LowCardinality(String),
    event_source String,
    event_subject String,
    event_time DateTime64(3, 'UTC'),
    data String
)
ENGINE = ReplacingMergeTree
ORDER BY (log_partition, log_offset);

CREATE MATERIALIZED VIEW doorledger.tool_session_v1_facts TO doorledger.tool_session_v1 AS
SELECT
    _partition AS log_partition,
    _offset AS log_offset,
    assumeNotNull(_timestamp_ms) AS log_time,
    _key AS log_key,
    JSONExtractString(event, 'id') AS event_id,
    JSONExtractString(event, 'type') AS event_type,
    JSONExtractString(event, 'source') AS event_source,
    JSONExtractString(event, 'subject') AS event_subject,
    parseDateTime64BestEffortOrZero(JSONExtractString(event, 'time'), 3, 'UTC') AS event_time,
    JSONExtractRaw(event, 'data') AS data
FROM doorledger.tool_session_v1_queue
WHERE length(_error) = 0;

CREATE MATERIALIZED VIEW doorledger.tool_session_v1_broken TO doorledger.broken AS
SELECT _topic AS log_topic, _partition AS log_partition, _offset AS log_offset, _error AS error
FROM doorledger.tool_session_v1_queue
WHERE length(_error) > 0;

CREATE VIEW doorledger.tool_session_close_failed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'toolSessionId', 'String') AS `tool_session_id`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'scope', 'String') AS `scope`,
    JSONExtract(data, 'keyHash', 'String') AS `key_hash`,
    JSONExtract(data, 'label', 'Nullable(String)') AS `label`,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'sessionRef', 'Nullable(String)') AS `session_ref`,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'calls', 'Int64') AS `calls`,
    JSONExtract(data, 'reason', 'String') AS `reason`,
    JSONExtract(data, 'cleanupMs', 'Int64') AS `cleanup_ms`,
    JSONExtract(data, 'ageMs', 'Int64') AS `age_ms`,
    JSONExtract(data, 'errorClass', 'String') AS `error_class`
FROM doorledger.tool_session_v1 FINAL
WHERE event_type = 'tool-session.close-failed';

CREATE VIEW doorledger.tool_session_closed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'toolSessionId', 'String') AS `tool_session_id`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'scope', 'String') AS `scope`,
    JSONExtract(data, 'keyHash', 'String') AS `key_hash`,
    JSONExtract(data, 'label', 'Nullable(String)') AS `label`,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'sessionRef', 'Nullable(String)') AS `session_ref`,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'calls', 'Int64') AS `calls`,
    JSONExtract(data, 'reason', 'String') AS `reason`,
    JSONExtract(data, 'cleanupMs', 'Int64') AS `cleanup_ms`,
    JSONExtract(data, 'ageMs', 'Int64') AS `age_ms`
FROM doorledger.tool_session_v1 FINAL
WHERE event_type = 'tool-session.closed';

CREATE VIEW doorledger.tool_session_reused AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'toolSessionId', 'String') AS `tool_session_id`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'scope', 'String') AS `scope`,
    JSONExtract(data, 'keyHash', 'String') AS `key_hash`,
    JSONExtract(data, 'label', 'Nullable(String)') AS `label`,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'sessionRef', 'Nullable(String)') AS `session_ref`,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'calls', 'Int64') AS `calls`
FROM doorledger.tool_session_v1 FINAL
WHERE event_type = 'tool-session.reused';

CREATE VIEW doorledger.tool_session_started AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'toolSessionId', 'String') AS `tool_session_id`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'scope', 'String') AS `scope`,
    JSONExtract(data, 'keyHash', 'String') AS `key_hash`,
    JSONExtract(data, 'label', 'Nullable(String)') AS `label`,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'sessionRef', 'Nullable(String)') AS `session_ref`,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'runId', 'String') AS `run_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`
FROM doorledger.tool_session_v1 FINAL
WHERE event_type = 'tool-session.started';

-- doorledger.ingress.v1

CREATE TABLE doorledger.ingress_v1_queue (event String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'localhost:9092',
    kafka_topic_list = 'doorledger.ingress.v1',
    kafka_group_name = 'analytics-clickhouse',
    kafka_format = 'JSONAsString',
    kafka_handle_error_mode = 'stream';

CREATE TABLE doorledger.ingress_v1
(
    log_partition UInt64,
    log_offset UInt64,
    log_time DateTime64(3, 'UTC'),
    log_key String,
    event_id String,
    event_type LowCardinality(String),
    event_source String,
    event_subject String,
    event_time DateTime64(3, 'UTC'),
    data String
)
ENGINE = ReplacingMergeTree
ORDER BY (log_partition, log_offset);

CREATE MATERIALIZED VIEW doorledger.ingress_v1_facts TO doorledger.ingress_v1 AS
SELECT
    _partition AS log_partition,
    _offset AS log_offset,
    assumeNotNull(_timestamp_ms) AS log_time,
    _key AS log_key,
    JSONExtractString(event, 'id') AS event_id,
    JSONExtractString(event, 'type') AS event_type,
    JSONExtractString(event, 'source') AS event_source,
    JSONExtractString(event, 'subject') AS event_subject,
    parseDateTime64BestEffortOrZero(JSONExtractString(event, 'time'), 3, 'UTC') AS event_time,
    JSONExtractRaw(event, 'data') AS data
FROM doorledger.ingress_v1_queue
WHERE length(_error) = 0;

CREATE MATERIALIZED VIEW doorledger.ingress_v1_broken TO doorledger.broken AS
SELECT _topic AS log_topic, _partition AS log_partition, _offset AS log_offset, _error AS error
FROM doorledger.ingress_v1_queue
WHERE length(_error) > 0;

CREATE VIEW doorledger.ingress_counted AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'reason', 'String') AS `reason`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'from', 'Int64'), 'UTC') AS `from`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'to', 'Int64'), 'UTC') AS `to`,
    JSONExtract(data, 'count', 'Int64') AS `count`,
    JSONExtractRaw(data, 'seqs') AS `seqs`
FROM doorledger.ingress_v1 FINAL
WHERE event_type = 'ingress.counted';

CREATE VIEW doorledger.ingress_recorded AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    fromUnixTimestamp64Milli(JSONExtract(data, 'at', 'Int64'), 'UTC') AS `at`,
    JSONExtract(data, 'door', 'String') AS `door`,
    JSONExtract(data, 'op', 'Nullable(String)') AS `op`,
    JSONExtract(data, 'outcome', 'String') AS `outcome`,
    JSONExtract(data, 'errorCode', 'Nullable(String)') AS `error_code`,
    JSONExtract(data, 'errorName', 'Nullable(String)') AS `error_name`,
    JSONExtract(data, 'identityFailure', 'Nullable(String)') AS `identity_failure`,
    JSONExtract(data, 'claimedUser', 'Nullable(Bool)') AS `claimed_user`,
    JSONExtract(data, 'userRef', 'Nullable(String)') AS `user_ref`,
    JSONExtract(data, 'tenantRef', 'Nullable(String)') AS `tenant_ref`,
    JSONExtract(data, 'sessionRef', 'Nullable(String)') AS `session_ref`,
    JSONExtract(data, 'bearerPresent', 'Bool') AS `bearer_present`,
    JSONExtract(data, 'admission', 'Nullable(String)') AS `admission`,
    JSONExtract(data, 'turnArtifactsFailure', 'Nullable(String)') AS `turn_artifacts_failure`,
    JSONExtract(data, 'source', 'Nullable(String)') AS `source`,
    JSONExtract(data, 'turnId', 'Nullable(String)') AS `turn_id`,
    JSONExtract(data, 'durationMs', 'Int64') AS `duration_ms`,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'seq', 'Int64') AS `seq`
FROM doorledger.ingress_v1 FINAL
WHERE event_type = 'ingress.recorded';

-- doorledger.spend.v1

CREATE TABLE doorledger.spend_v1_queue (event String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'localhost:9092',
    kafka_topic_list = 'doorledger.spend.v1',
    kafka_group_name = 'analytics-clickhouse',
    kafka_format = 'JSONAsString',
    kafka_handle_error_mode = 'stream';

CREATE TABLE doorledger.spend_v1
(
    log_partition UInt64,
    log_offset UInt64,
    log_time DateTime64(3, 'UTC'),
    log_key String,
    event_id String,
    event_type LowCardinality(String),
    event_source String,
    event_subject String,
    event_time DateTime64(3, 'UTC'),
    data String
)
ENGINE = ReplacingMergeTree
ORDER BY (log_partition, log_offset);

CREATE MATERIALIZED VIEW doorledger.spend_v1_facts TO doorledger.spend_v1 AS
SELECT
    _partition AS log_partition,
    _offset AS log_offset,
    assumeNotNull(_timestamp_ms) AS log_time,
    _key AS log_key,
    JSONExtractString(event, 'id') AS event_id,
    JSONExtractString(event, 'type') AS event_type,
    JSONExtractString(event, 'source') AS event_source,
    JSONExtractString(event, 'subject') AS event_subject,
    parseDateTime64BestEffortOrZero(JSONExtractString(event, 'time'), 3, 'UTC') AS event_time,
    JSONExtractRaw(event, 'data') AS data
FROM doorledger.spend_v1_queue
WHERE length(_error) = 0;

CREATE MATERIALIZED VIEW doorledger.spend_v1_broken TO doorledger.broken AS
SELECT _topic AS log_topic, _partition AS log_partition, _offset AS log_offset, _error AS error
FROM doorledger.spend_v1_queue
WHERE length(_error) > 0;

CREATE VIEW doorledger.decision_spent AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'namespace', 'String') AS `namespace`,
    JSONExtract(data, 'id', 'String') AS `id`,
    JSONExtract(data, 'claimId', 'String') AS `claim_id`
FROM doorledger.spend_v1 FINAL
WHERE event_type = 'decision.spent';

CREATE VIEW doorledger.grant_created AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'grantId', 'String') AS `grant_id`,
    JSONExtract(data, 'userRef', 'String') AS `user_ref`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'toolHash', 'String') AS `tool_hash`,
    JSONExtract(data, 'schemaHash', 'String') AS `schema_hash`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'until', 'Nullable(Int64)'), 'UTC') AS `until`,
    JSONExtract(data, 'count', 'Nullable(Int64)') AS `count`,
    JSONExtract(data, 'by', 'String') AS `by`,
    JSONExtract(data, 'private', 'partition', 'Nullable(Int64)') AS `private_partition`,
    JSONExtract(data, 'private', 'offset', 'Nullable(Int64)') AS `private_offset`,
    JSONExtract(data, 'private', 'hash', 'Nullable(String)') AS `private_hash`
FROM doorledger.spend_v1 FINAL
WHERE event_type = 'grant.created';

CREATE VIEW doorledger.grant_revoked AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'grantId', 'String') AS `grant_id`,
    JSONExtract(data, 'by', 'String') AS `by`
FROM doorledger.spend_v1 FINAL
WHERE event_type = 'grant.revoked';

CREATE VIEW doorledger.grant_used AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'grantId', 'String') AS `grant_id`,
    JSONExtract(data, 'useId', 'String') AS `use_id`,
    JSONExtract(data, 'requestId', 'String') AS `request_id`
FROM doorledger.spend_v1 FINAL
WHERE event_type = 'grant.used';

-- doorledger.system.v1

CREATE TABLE doorledger.system_v1_queue (event String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'localhost:9092',
    kafka_topic_list = 'doorledger.system.v1',
    kafka_group_name = 'analytics-clickhouse',
    kafka_format = 'JSONAsString',
    kafka_handle_error_mode = 'stream';

CREATE TABLE doorledger.system_v1
(
    log_partition UInt64,
    log_offset UInt64,
    log_time DateTime64(3, 'UTC'),
    log_key String,
    event_id String,
    event_type LowCardinality(String),
    event_source String,
    event_subject String,
    event_time DateTime64(3, 'UTC'),
    data String
)
ENGINE = ReplacingMergeTree
ORDER BY (log_partition, log_offset);

CREATE MATERIALIZED VIEW doorledger.system_v1_facts TO doorledger.system_v1 AS
SELECT
    _partition AS log_partition,
    _offset AS log_offset,
    assumeNotNull(_timestamp_ms) AS log_time,
    _key AS log_key,
    JSONExtractString(event, 'id') AS event_id,
    JSONExtractString(event, 'type') AS event_type,
    JSONExtractString(event, 'source') AS event_source,
    JSONExtractString(event, 'subject') AS event_subject,
    parseDateTime64BestEffortOrZero(JSONExtractString(event, 'time'), 3, 'UTC') AS event_time,
    JSONExtractRaw(event, 'data') AS data
FROM doorledger.system_v1_queue
WHERE length(_error) = 0;

CREATE MATERIALIZED VIEW doorledger.system_v1_broken TO doorledger.broken AS
SELECT _topic AS log_topic, _partition AS log_partition, _offset AS log_offset, _error AS error
FROM doorledger.system_v1_queue
WHERE length(_error) > 0;

CREATE VIEW doorledger.content_read AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'by', 'String') AS `by`,
    JSONExtract(data, 'sessionRef', 'String') AS `session_ref`,
    JSONExtract(data, 'what', 'String') AS `what`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'content.read';

CREATE VIEW doorledger.freeze_lifted AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'freezeId', 'String') AS `freeze_id`,
    JSONExtract(data, 'by', 'String') AS `by`,
    JSONExtract(data, 'why', 'Nullable(String)') AS `why`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'freeze.lifted';

CREATE VIEW doorledger.freeze_set AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'freezeId', 'String') AS `freeze_id`,
    JSONExtract(data, 'target', 'kind', 'String') AS `target_kind`,
    JSONExtract(data, 'target', 'name', 'Nullable(String)') AS `target_name`,
    JSONExtract(data, 'by', 'String') AS `by`,
    JSONExtract(data, 'why', 'String') AS `why`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'freeze.set';

CREATE VIEW doorledger.host_alive AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'version', 'String') AS `version`,
    JSONExtract(data, 'foldVersion', 'Int64') AS `fold_version`,
    JSONExtract(data, 'lastSeq', 'Int64') AS `last_seq`,
    JSONExtract(data, 'durableSeq', 'Int64') AS `durable_seq`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'host.alive';

CREATE VIEW doorledger.host_started AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'version', 'String') AS `version`,
    JSONExtract(data, 'foldVersion', 'Int64') AS `fold_version`,
    JSONExtract(data, 'lastSeq', 'Int64') AS `last_seq`,
    JSONExtract(data, 'durableSeq', 'Int64') AS `durable_seq`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'host.started';

CREATE VIEW doorledger.host_stopped AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'hostId', 'String') AS `host_id`,
    JSONExtract(data, 'bootId', 'String') AS `boot_id`,
    JSONExtract(data, 'version', 'String') AS `version`,
    JSONExtract(data, 'foldVersion', 'Int64') AS `fold_version`,
    JSONExtract(data, 'lastSeq', 'Int64') AS `last_seq`,
    JSONExtract(data, 'durableSeq', 'Int64') AS `durable_seq`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'host.stopped';

CREATE VIEW doorledger.identity_revoked AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'userRef', 'String') AS `user_ref`,
    JSONExtract(data, 'by', 'String') AS `by`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'identity.revoked';

CREATE VIEW doorledger.log_adopted AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'logId', 'String') AS `log_id`,
    JSONExtract(data, 'place', 'String') AS `place`,
    JSONExtractRaw(data, 'topics') AS `topics`,
    JSONExtract(data, 'foldVersion', 'Int64') AS `fold_version`,
    JSONExtract(data, 'keyCheck', 'String') AS `key_check`,
    JSONExtract(data, 'by', 'Nullable(String)') AS `by`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'log.adopted';

CREATE VIEW doorledger.log_genesis AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'logId', 'String') AS `log_id`,
    JSONExtract(data, 'place', 'String') AS `place`,
    JSONExtractRaw(data, 'topics') AS `topics`,
    JSONExtract(data, 'foldVersion', 'Int64') AS `fold_version`,
    JSONExtract(data, 'keyCheck', 'String') AS `key_check`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'log.genesis';

CREATE VIEW doorledger.retention_applied AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'topic', 'String') AS `topic`,
    JSONExtract(data, 'partition', 'Int64') AS `partition`,
    JSONExtract(data, 'before', 'Int64') AS `before`,
    JSONExtract(data, 'by', 'String') AS `by`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'retention.applied';

CREATE VIEW doorledger.tool_changed AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'from', 'String') AS `from`,
    JSONExtract(data, 'to', 'String') AS `to`
FROM doorledger.system_v1 FINAL
WHERE event_type = 'tool.changed';

-- doorledger.consent.v1

CREATE TABLE doorledger.consent_v1_queue (event String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'localhost:9092',
    kafka_topic_list = 'doorledger.consent.v1',
    kafka_group_name = 'analytics-clickhouse',
    kafka_format = 'JSONAsString',
    kafka_handle_error_mode = 'stream';

CREATE TABLE doorledger.consent_v1
(
    log_partition UInt64,
    log_offset UInt64,
    log_time DateTime64(3, 'UTC'),
    log_key String,
    event_id String,
    event_type LowCardinality(String),
    event_source String,
    event_subject String,
    event_time DateTime64(3, 'UTC'),
    data String
)
ENGINE = ReplacingMergeTree
ORDER BY (log_partition, log_offset);

CREATE MATERIALIZED VIEW doorledger.consent_v1_facts TO doorledger.consent_v1 AS
SELECT
    _partition AS log_partition,
    _offset AS log_offset,
    assumeNotNull(_timestamp_ms) AS log_time,
    _key AS log_key,
    JSONExtractString(event, 'id') AS event_id,
    JSONExtractString(event, 'type') AS event_type,
    JSONExtractString(event, 'source') AS event_source,
    JSONExtractString(event, 'subject') AS event_subject,
    parseDateTime64BestEffortOrZero(JSONExtractString(event, 'time'), 3, 'UTC') AS event_time,
    JSONExtractRaw(event, 'data') AS data
FROM doorledger.consent_v1_queue
WHERE length(_error) = 0;

CREATE MATERIALIZED VIEW doorledger.consent_v1_broken TO doorledger.broken AS
SELECT _topic AS log_topic, _partition AS log_partition, _offset AS log_offset, _error AS error
FROM doorledger.consent_v1_queue
WHERE length(_error) > 0;

CREATE VIEW doorledger.consent_requested AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'requestId', 'String') AS `request_id`,
    JSONExtract(data, 'turnId', 'String') AS `turn_id`,
    JSONExtract(data, 'callId', 'String') AS `call_id`,
    JSONExtract(data, 'gate', 'String') AS `gate`,
    JSONExtract(data, 'server', 'String') AS `server`,
    JSONExtract(data, 'tool', 'String') AS `tool`,
    JSONExtract(data, 'toolHash', 'String') AS `tool_hash`,
    JSONExtract(data, 'rule', 'Nullable(String)') AS `rule`,
    JSONExtract(data, 'partyRef', 'String') AS `party_ref`,
    JSONExtract(data, 'quorum', 'Nullable(Int64)') AS `quorum`,
    JSONExtract(data, 'grant', 'Nullable(String)') AS `grant`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'decideBy', 'Nullable(Int64)'), 'UTC') AS `decide_by`,
    fromUnixTimestamp64Milli(JSONExtract(data, 'spendBy', 'Nullable(Int64)'), 'UTC') AS `spend_by`,
    JSONExtract(data, 'replaces', 'Nullable(String)') AS `replaces`,
    JSONExtract(data, 'of', 'partition', 'Int64') AS `of_partition`,
    JSONExtract(data, 'of', 'offset', 'Int64') AS `of_offset`
FROM doorledger.consent_v1 FINAL
WHERE event_type = 'consent.requested';

CREATE VIEW doorledger.consent_settled AS
SELECT
    log_partition,
    log_offset,
    log_time,
    log_key,
    event_id,
    JSONExtract(data, 'requestId', 'String') AS `request_id`,
    JSONExtract(data, 'verdict', 'String') AS `verdict`,
    JSONExtract(data, 'by', 'Nullable(String)') AS `by`,
    JSONExtract(data, 'reason', 'Nullable(String)') AS `reason`,
    JSONExtract(data, 'of', 'partition', 'Int64') AS `of_partition`,
    JSONExtract(data, 'of', 'offset', 'Int64') AS `of_offset`
FROM doorledger.consent_v1 FINAL
WHERE event_type = 'consent.settled';
