-- The public topics in Flink SQL: text to start from. doorledger's own tests hold every name and type in it to docs/contracts.
--
-- Each topic is a table, and below it there is a view for each kind of fact with the columns that `doorledger export` gives it.
-- A value is one CloudEvent in structured mode: the whole event is the value, and `data` is a ROW in it with the fields of all facts of
-- the topic, each of them null where a fact has no such field.
--
-- 'value.json.ignore-parse-errors' skips a record that is no JSON and makes a field null that has another type. Nothing tells of either:
-- `doorledger export` counts such records, and /v1/log lists what was put into quarantine.

-- doorledger.session.v1

CREATE TABLE session_v1 (
    `log_key` STRING,
    `log_partition` INT METADATA FROM 'partition' VIRTUAL,
    `log_offset` BIGINT METADATA FROM 'offset' VIRTUAL,
    `log_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
    `id` STRING,
    `type` STRING,
    `source` STRING,
    `subject` STRING,
    `time` STRING,
    `data` ROW<
        `requestId` STRING,
        `turnId` STRING,
        `runId` STRING,
        `callId` STRING,
        `gate` STRING,
        `server` STRING,
        `tool` STRING,
        `toolHash` STRING,
        `rule` STRING,
        `ledger` STRING,
        `partyRef` STRING,
        `quorum` BIGINT,
        `grant` STRING,
        `decideBy` BIGINT,
        `spendBy` BIGINT,
        `replaces` STRING,
        `claimId` STRING,
        `verdict` STRING,
        `by` STRING,
        `reason` STRING,
        `approved` BOOLEAN,
        `sessionRef` STRING,
        `position` ROW<`partition` BIGINT, `offset` BIGINT>,
        `treatAs` STRING,
        `attempt` BIGINT,
        `try` BIGINT,
        `httpStatus` BIGINT,
        `waitMs` BIGINT,
        `gated` BOOLEAN,
        `spend` ROW<`partition` BIGINT, `offset` BIGINT>,
        `notAfter` BIGINT,
        `toolSessionId` STRING,
        `outcome` STRING,
        `errorClass` STRING,
        `durationMs` BIGINT,
        `why` STRING,
        `hostId` STRING,
        `bootId` STRING,
        `signer` STRING,
        `tenantRef` STRING,
        `after` STRING,
        `resumes` STRING,
        `wait` BOOLEAN,
        `idempotency` ROW<`key` STRING, `body` STRING>,
        `steps` BIGINT,
        `toolCalls` BIGINT,
        `private` ROW<`partition` BIGINT, `offset` BIGINT, `hash` STRING>,
        `liveToolSessions` BIGINT,
        `usage` ROW<`inputTokens` BIGINT, `outputTokens` BIGINT, `model` STRING>,
        `errorCode` STRING,
        `errorName` STRING,
        `step` BIGINT
    >,
    WATERMARK FOR `log_time` AS `log_time` - INTERVAL '5' SECOND
) WITH (
    'connector' = 'kafka',
    'topic' = 'doorledger.session.v1',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.group.id' = 'analytics-flink',
    'scan.startup.mode' = 'earliest-offset',
    'key.format' = 'raw',
    'key.fields' = 'log_key',
    'value.format' = 'json',
    'value.fields-include' = 'EXCEPT_KEY',
    'value.json.ignore-parse-errors' = 'true'
);

CREATE VIEW consent_minted AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`requestId` AS `request_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`gate` AS `gate`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`toolHash` AS `tool_hash`,
    `data`.`rule` AS `rule`,
    `data`.`ledger` AS `ledger`,
    `data`.`partyRef` AS `party_ref`,
    `data`.`quorum` AS `quorum`,
    `data`.`grant` AS `grant`,
    TO_TIMESTAMP_LTZ(`data`.`decideBy`, 3) AS `decide_by`,
    TO_TIMESTAMP_LTZ(`data`.`spendBy`, 3) AS `spend_by`,
    `data`.`replaces` AS `replaces`
FROM session_v1
WHERE `type` = 'consent.minted';

CREATE VIEW consent_spent AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`requestId` AS `request_id`,
    `data`.`claimId` AS `claim_id`,
    `data`.`verdict` AS `verdict`,
    `data`.`by` AS `by`,
    `data`.`reason` AS `reason`,
    `data`.`grant` AS `grant`
FROM session_v1
WHERE `type` = 'consent.spent';

CREATE VIEW consent_voted AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`requestId` AS `request_id`,
    `data`.`by` AS `by`,
    `data`.`approved` AS `approved`
FROM session_v1
WHERE `type` = 'consent.voted';

CREATE VIEW gate_observed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`gate` AS `gate`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`rule` AS `rule`
FROM session_v1
WHERE `type` = 'gate.observed';

CREATE VIEW session_closed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`reason` AS `reason`,
    `data`.`by` AS `by`
FROM session_v1
WHERE `type` = 'session.closed';

CREATE VIEW session_erased AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`by` AS `by`
FROM session_v1
WHERE `type` = 'session.erased';

CREATE VIEW session_repaired AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`position`.`partition` AS `position_partition`,
    `data`.`position`.`offset` AS `position_offset`,
    `data`.`treatAs` AS `treat_as`,
    `data`.`by` AS `by`
FROM session_v1
WHERE `type` = 'session.repaired';

CREATE VIEW tool_call_attempted AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`attempt` AS `attempt`,
    `data`.`try` AS `try`,
    `data`.`httpStatus` AS `http_status`,
    `data`.`waitMs` AS `wait_ms`
FROM session_v1
WHERE `type` = 'tool-call.attempted';

CREATE VIEW tool_call_dispatched AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`attempt` AS `attempt`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`gated` AS `gated`,
    `data`.`requestId` AS `request_id`,
    `data`.`spend`.`partition` AS `spend_partition`,
    `data`.`spend`.`offset` AS `spend_offset`,
    TO_TIMESTAMP_LTZ(`data`.`notAfter`, 3) AS `not_after`,
    `data`.`toolSessionId` AS `tool_session_id`
FROM session_v1
WHERE `type` = 'tool-call.dispatched';

CREATE VIEW tool_call_finished AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`attempt` AS `attempt`,
    `data`.`outcome` AS `outcome`,
    `data`.`errorClass` AS `error_class`,
    `data`.`durationMs` AS `duration_ms`
FROM session_v1
WHERE `type` = 'tool-call.finished';

CREATE VIEW tool_call_reconciled AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`callId` AS `call_id`,
    `data`.`attempt` AS `attempt`,
    `data`.`verdict` AS `verdict`,
    `data`.`by` AS `by`,
    `data`.`why` AS `why`
FROM session_v1
WHERE `type` = 'tool-call.reconciled';

CREATE VIEW turn_claimed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`signer` AS `signer`,
    `data`.`tenantRef` AS `tenant_ref`,
    `data`.`after` AS `after`,
    `data`.`resumes` AS `resumes`,
    `data`.`wait` AS `wait`,
    `data`.`idempotency`.`key` AS `idempotency_key`,
    `data`.`idempotency`.`body` AS `idempotency_body`
FROM session_v1
WHERE `type` = 'turn.claimed';

CREATE VIEW turn_completed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`steps` AS `steps`,
    `data`.`toolCalls` AS `tool_calls`,
    `data`.`private`.`partition` AS `private_partition`,
    `data`.`private`.`offset` AS `private_offset`,
    `data`.`private`.`hash` AS `private_hash`,
    `data`.`liveToolSessions` AS `live_tool_sessions`,
    `data`.`usage`.`inputTokens` AS `usage_input_tokens`,
    `data`.`usage`.`outputTokens` AS `usage_output_tokens`,
    `data`.`usage`.`model` AS `usage_model`
FROM session_v1
WHERE `type` = 'turn.completed';

CREATE VIEW turn_failed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`errorCode` AS `error_code`,
    `data`.`errorName` AS `error_name`,
    `data`.`private`.`partition` AS `private_partition`,
    `data`.`private`.`offset` AS `private_offset`,
    `data`.`private`.`hash` AS `private_hash`,
    `data`.`liveToolSessions` AS `live_tool_sessions`,
    `data`.`usage`.`inputTokens` AS `usage_input_tokens`,
    `data`.`usage`.`outputTokens` AS `usage_output_tokens`,
    `data`.`usage`.`model` AS `usage_model`
FROM session_v1
WHERE `type` = 'turn.failed';

CREATE VIEW turn_lapsed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`by` AS `by`
FROM session_v1
WHERE `type` = 'turn.lapsed';

CREATE VIEW turn_paused AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`requestId` AS `request_id`,
    `data`.`private`.`partition` AS `private_partition`,
    `data`.`private`.`offset` AS `private_offset`,
    `data`.`private`.`hash` AS `private_hash`,
    `data`.`liveToolSessions` AS `live_tool_sessions`
FROM session_v1
WHERE `type` = 'turn.paused';

CREATE VIEW turn_renewed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`
FROM session_v1
WHERE `type` = 'turn.renewed';

CREATE VIEW turn_stepped AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`step` AS `step`,
    `data`.`private`.`partition` AS `private_partition`,
    `data`.`private`.`offset` AS `private_offset`,
    `data`.`private`.`hash` AS `private_hash`
FROM session_v1
WHERE `type` = 'turn.stepped';

-- doorledger.tool-session.v1

CREATE TABLE tool_session_v1 (
    `log_key` STRING,
    `log_partition` INT METADATA FROM 'partition' VIRTUAL,
    `log_offset` BIGINT METADATA FROM 'offset' VIRTUAL,
    `log_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
    `id` STRING,
    `type` STRING,
    `source` STRING,
    `subject` STRING,
    `time` STRING,
    `data` ROW<
        `toolSessionId` STRING,
        `server` STRING,
        `tool` STRING,
        `scope` STRING,
        `keyHash` STRING,
        `label` STRING,
        `hostId` STRING,
        `bootId` STRING,
        `sessionRef` STRING,
        `turnId` STRING,
        `runId` STRING,
        `callId` STRING,
        `calls` BIGINT,
        `reason` STRING,
        `cleanupMs` BIGINT,
        `ageMs` BIGINT,
        `errorClass` STRING
    >,
    WATERMARK FOR `log_time` AS `log_time` - INTERVAL '5' SECOND
) WITH (
    'connector' = 'kafka',
    'topic' = 'doorledger.tool-session.v1',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.group.id' = 'analytics-flink',
    'scan.startup.mode' = 'earliest-offset',
    'key.format' = 'raw',
    'key.fields' = 'log_key',
    'value.format' = 'json',
    'value.fields-include' = 'EXCEPT_KEY',
    'value.json.ignore-parse-errors' = 'true'
);

CREATE VIEW tool_session_close_failed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`toolSessionId` AS `tool_session_id`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`scope` AS `scope`,
    `data`.`keyHash` AS `key_hash`,
    `data`.`label` AS `label`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`calls` AS `calls`,
    `data`.`reason` AS `reason`,
    `data`.`cleanupMs` AS `cleanup_ms`,
    `data`.`ageMs` AS `age_ms`,
    `data`.`errorClass` AS `error_class`
FROM tool_session_v1
WHERE `type` = 'tool-session.close-failed';

CREATE VIEW tool_session_closed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`toolSessionId` AS `tool_session_id`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`scope` AS `scope`,
    `data`.`keyHash` AS `key_hash`,
    `data`.`label` AS `label`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`calls` AS `calls`,
    `data`.`reason` AS `reason`,
    `data`.`cleanupMs` AS `cleanup_ms`,
    `data`.`ageMs` AS `age_ms`
FROM tool_session_v1
WHERE `type` = 'tool-session.closed';

CREATE VIEW tool_session_reused AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`toolSessionId` AS `tool_session_id`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`scope` AS `scope`,
    `data`.`keyHash` AS `key_hash`,
    `data`.`label` AS `label`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`,
    `data`.`calls` AS `calls`
FROM tool_session_v1
WHERE `type` = 'tool-session.reused';

CREATE VIEW tool_session_started AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`toolSessionId` AS `tool_session_id`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`scope` AS `scope`,
    `data`.`keyHash` AS `key_hash`,
    `data`.`label` AS `label`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`turnId` AS `turn_id`,
    `data`.`runId` AS `run_id`,
    `data`.`callId` AS `call_id`
FROM tool_session_v1
WHERE `type` = 'tool-session.started';

-- doorledger.ingress.v1

CREATE TABLE ingress_v1 (
    `log_key` STRING,
    `log_partition` INT METADATA FROM 'partition' VIRTUAL,
    `log_offset` BIGINT METADATA FROM 'offset' VIRTUAL,
    `log_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
    `id` STRING,
    `type` STRING,
    `source` STRING,
    `subject` STRING,
    `time` STRING,
    `data` ROW<
        `hostId` STRING,
        `bootId` STRING,
        `reason` STRING,
        `from` BIGINT,
        `to` BIGINT,
        `count` BIGINT,
        `seqs` ARRAY<ARRAY<BIGINT>>,
        `at` BIGINT,
        `door` STRING,
        `op` STRING,
        `outcome` STRING,
        `errorCode` STRING,
        `errorName` STRING,
        `identityFailure` STRING,
        `claimedUser` BOOLEAN,
        `userRef` STRING,
        `tenantRef` STRING,
        `sessionRef` STRING,
        `bearerPresent` BOOLEAN,
        `admission` STRING,
        `turnArtifactsFailure` STRING,
        `source` STRING,
        `turnId` STRING,
        `durationMs` BIGINT,
        `seq` BIGINT
    >,
    WATERMARK FOR `log_time` AS `log_time` - INTERVAL '5' SECOND
) WITH (
    'connector' = 'kafka',
    'topic' = 'doorledger.ingress.v1',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.group.id' = 'analytics-flink',
    'scan.startup.mode' = 'earliest-offset',
    'key.format' = 'raw',
    'key.fields' = 'log_key',
    'value.format' = 'json',
    'value.fields-include' = 'EXCEPT_KEY',
    'value.json.ignore-parse-errors' = 'true'
);

CREATE VIEW ingress_counted AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`reason` AS `reason`,
    TO_TIMESTAMP_LTZ(`data`.`from`, 3) AS `from`,
    TO_TIMESTAMP_LTZ(`data`.`to`, 3) AS `to`,
    `data`.`count` AS `count`,
    `data`.`seqs` AS `seqs`
FROM ingress_v1
WHERE `type` = 'ingress.counted';

CREATE VIEW ingress_recorded AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    TO_TIMESTAMP_LTZ(`data`.`at`, 3) AS `at`,
    `data`.`door` AS `door`,
    `data`.`op` AS `op`,
    `data`.`outcome` AS `outcome`,
    `data`.`errorCode` AS `error_code`,
    `data`.`errorName` AS `error_name`,
    `data`.`identityFailure` AS `identity_failure`,
    `data`.`claimedUser` AS `claimed_user`,
    `data`.`userRef` AS `user_ref`,
    `data`.`tenantRef` AS `tenant_ref`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`bearerPresent` AS `bearer_present`,
    `data`.`admission` AS `admission`,
    `data`.`turnArtifactsFailure` AS `turn_artifacts_failure`,
    `data`.`source` AS `source`,
    `data`.`turnId` AS `turn_id`,
    `data`.`durationMs` AS `duration_ms`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`seq` AS `seq`
FROM ingress_v1
WHERE `type` = 'ingress.recorded';

-- doorledger.spend.v1

CREATE TABLE spend_v1 (
    `log_key` STRING,
    `log_partition` INT METADATA FROM 'partition' VIRTUAL,
    `log_offset` BIGINT METADATA FROM 'offset' VIRTUAL,
    `log_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
    `id` STRING,
    `type` STRING,
    `source` STRING,
    `subject` STRING,
    `time` STRING,
    `data` ROW<
        `namespace` STRING,
        `id` STRING,
        `claimId` STRING,
        `grantId` STRING,
        `userRef` STRING,
        `server` STRING,
        `tool` STRING,
        `toolHash` STRING,
        `schemaHash` STRING,
        `until` BIGINT,
        `count` BIGINT,
        `by` STRING,
        `private` ROW<`partition` BIGINT, `offset` BIGINT, `hash` STRING>,
        `useId` STRING,
        `requestId` STRING
    >,
    WATERMARK FOR `log_time` AS `log_time` - INTERVAL '5' SECOND
) WITH (
    'connector' = 'kafka',
    'topic' = 'doorledger.spend.v1',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.group.id' = 'analytics-flink',
    'scan.startup.mode' = 'earliest-offset',
    'key.format' = 'raw',
    'key.fields' = 'log_key',
    'value.format' = 'json',
    'value.fields-include' = 'EXCEPT_KEY',
    'value.json.ignore-parse-errors' = 'true'
);

CREATE VIEW decision_spent AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`namespace` AS `namespace`,
    `data`.`id` AS `id`,
    `data`.`claimId` AS `claim_id`
FROM spend_v1
WHERE `type` = 'decision.spent';

CREATE VIEW grant_created AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`grantId` AS `grant_id`,
    `data`.`userRef` AS `user_ref`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`toolHash` AS `tool_hash`,
    `data`.`schemaHash` AS `schema_hash`,
    TO_TIMESTAMP_LTZ(`data`.`until`, 3) AS `until`,
    `data`.`count` AS `count`,
    `data`.`by` AS `by`,
    `data`.`private`.`partition` AS `private_partition`,
    `data`.`private`.`offset` AS `private_offset`,
    `data`.`private`.`hash` AS `private_hash`
FROM spend_v1
WHERE `type` = 'grant.created';

CREATE VIEW grant_revoked AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`grantId` AS `grant_id`,
    `data`.`by` AS `by`
FROM spend_v1
WHERE `type` = 'grant.revoked';

CREATE VIEW grant_used AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`grantId` AS `grant_id`,
    `data`.`useId` AS `use_id`,
    `data`.`requestId` AS `request_id`
FROM spend_v1
WHERE `type` = 'grant.used';

-- doorledger.system.v1

CREATE TABLE system_v1 (
    `log_key` STRING,
    `log_partition` INT METADATA FROM 'partition' VIRTUAL,
    `log_offset` BIGINT METADATA FROM 'offset' VIRTUAL,
    `log_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
    `id` STRING,
    `type` STRING,
    `source` STRING,
    `subject` STRING,
    `time` STRING,
    `data` ROW<
        `by` STRING,
        `sessionRef` STRING,
        `what` STRING,
        `freezeId` STRING,
        `why` STRING,
        `target` ROW<`kind` STRING, `name` STRING>,
        `hostId` STRING,
        `bootId` STRING,
        `version` STRING,
        `foldVersion` BIGINT,
        `lastSeq` BIGINT,
        `durableSeq` BIGINT,
        `userRef` STRING,
        `logId` STRING,
        `place` STRING,
        `topics` MAP<STRING, BIGINT>,
        `keyCheck` STRING,
        `topic` STRING,
        `partition` BIGINT,
        `before` BIGINT,
        `server` STRING,
        `tool` STRING,
        `from` STRING,
        `to` STRING
    >,
    WATERMARK FOR `log_time` AS `log_time` - INTERVAL '5' SECOND
) WITH (
    'connector' = 'kafka',
    'topic' = 'doorledger.system.v1',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.group.id' = 'analytics-flink',
    'scan.startup.mode' = 'earliest-offset',
    'key.format' = 'raw',
    'key.fields' = 'log_key',
    'value.format' = 'json',
    'value.fields-include' = 'EXCEPT_KEY',
    'value.json.ignore-parse-errors' = 'true'
);

CREATE VIEW content_read AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`by` AS `by`,
    `data`.`sessionRef` AS `session_ref`,
    `data`.`what` AS `what`
FROM system_v1
WHERE `type` = 'content.read';

CREATE VIEW freeze_lifted AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`freezeId` AS `freeze_id`,
    `data`.`by` AS `by`,
    `data`.`why` AS `why`
FROM system_v1
WHERE `type` = 'freeze.lifted';

CREATE VIEW freeze_set AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`freezeId` AS `freeze_id`,
    `data`.`target`.`kind` AS `target_kind`,
    `data`.`target`.`name` AS `target_name`,
    `data`.`by` AS `by`,
    `data`.`why` AS `why`
FROM system_v1
WHERE `type` = 'freeze.set';

CREATE VIEW host_alive AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`version` AS `version`,
    `data`.`foldVersion` AS `fold_version`,
    `data`.`lastSeq` AS `last_seq`,
    `data`.`durableSeq` AS `durable_seq`
FROM system_v1
WHERE `type` = 'host.alive';

CREATE VIEW host_started AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`version` AS `version`,
    `data`.`foldVersion` AS `fold_version`,
    `data`.`lastSeq` AS `last_seq`,
    `data`.`durableSeq` AS `durable_seq`
FROM system_v1
WHERE `type` = 'host.started';

CREATE VIEW host_stopped AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`hostId` AS `host_id`,
    `data`.`bootId` AS `boot_id`,
    `data`.`version` AS `version`,
    `data`.`foldVersion` AS `fold_version`,
    `data`.`lastSeq` AS `last_seq`,
    `data`.`durableSeq` AS `durable_seq`
FROM system_v1
WHERE `type` = 'host.stopped';

CREATE VIEW identity_revoked AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`userRef` AS `user_ref`,
    `data`.`by` AS `by`
FROM system_v1
WHERE `type` = 'identity.revoked';

CREATE VIEW log_adopted AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`logId` AS `log_id`,
    `data`.`place` AS `place`,
    `data`.`topics` AS `topics`,
    `data`.`foldVersion` AS `fold_version`,
    `data`.`keyCheck` AS `key_check`,
    `data`.`by` AS `by`
FROM system_v1
WHERE `type` = 'log.adopted';

CREATE VIEW log_genesis AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`logId` AS `log_id`,
    `data`.`place` AS `place`,
    `data`.`topics` AS `topics`,
    `data`.`foldVersion` AS `fold_version`,
    `data`.`keyCheck` AS `key_check`
FROM system_v1
WHERE `type` = 'log.genesis';

CREATE VIEW retention_applied AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`topic` AS `topic`,
    `data`.`partition` AS `partition`,
    `data`.`before` AS `before`,
    `data`.`by` AS `by`
FROM system_v1
WHERE `type` = 'retention.applied';

CREATE VIEW tool_changed AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`from` AS `from`,
    `data`.`to` AS `to`
FROM system_v1
WHERE `type` = 'tool.changed';

-- doorledger.consent.v1

CREATE TABLE consent_v1 (
    `log_key` STRING,
    `log_partition` INT METADATA FROM 'partition' VIRTUAL,
    `log_offset` BIGINT METADATA FROM 'offset' VIRTUAL,
    `log_time` TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL,
    `id` STRING,
    `type` STRING,
    `source` STRING,
    `subject` STRING,
    `time` STRING,
    `data` ROW<
        `requestId` STRING,
        `turnId` STRING,
        `callId` STRING,
        `gate` STRING,
        `server` STRING,
        `tool` STRING,
        `toolHash` STRING,
        `rule` STRING,
        `partyRef` STRING,
        `quorum` BIGINT,
        `grant` STRING,
        `decideBy` BIGINT,
        `spendBy` BIGINT,
        `replaces` STRING,
        `of` ROW<`partition` BIGINT, `offset` BIGINT>,
        `verdict` STRING,
        `by` STRING,
        `reason` STRING
    >,
    WATERMARK FOR `log_time` AS `log_time` - INTERVAL '5' SECOND
) WITH (
    'connector' = 'kafka',
    'topic' = 'doorledger.consent.v1',
    'properties.bootstrap.servers' = 'localhost:9092',
    'properties.group.id' = 'analytics-flink',
    'scan.startup.mode' = 'earliest-offset',
    'key.format' = 'raw',
    'key.fields' = 'log_key',
    'value.format' = 'json',
    'value.fields-include' = 'EXCEPT_KEY',
    'value.json.ignore-parse-errors' = 'true'
);

CREATE VIEW consent_requested AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`requestId` AS `request_id`,
    `data`.`turnId` AS `turn_id`,
    `data`.`callId` AS `call_id`,
    `data`.`gate` AS `gate`,
    `data`.`server` AS `server`,
    `data`.`tool` AS `tool`,
    `data`.`toolHash` AS `tool_hash`,
    `data`.`rule` AS `rule`,
    `data`.`partyRef` AS `party_ref`,
    `data`.`quorum` AS `quorum`,
    `data`.`grant` AS `grant`,
    TO_TIMESTAMP_LTZ(`data`.`decideBy`, 3) AS `decide_by`,
    TO_TIMESTAMP_LTZ(`data`.`spendBy`, 3) AS `spend_by`,
    `data`.`replaces` AS `replaces`,
    `data`.`of`.`partition` AS `of_partition`,
    `data`.`of`.`offset` AS `of_offset`
FROM consent_v1
WHERE `type` = 'consent.requested';

CREATE VIEW consent_settled AS
SELECT
    `log_partition`,
    `log_offset`,
    `log_time`,
    `log_key`,
    `id` AS `event_id`,
    `data`.`requestId` AS `request_id`,
    `data`.`verdict` AS `verdict`,
    `data`.`by` AS `by`,
    `data`.`reason` AS `reason`,
    `data`.`of`.`partition` AS `of_partition`,
    `data`.`of`.`offset` AS `of_offset`
FROM consent_v1
WHERE `type` = 'consent.settled';
