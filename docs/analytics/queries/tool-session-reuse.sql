-- What tool sessions are worth, by server: how many calls found one open, and how long sessions were kept for it.
WITH started AS (
  SELECT server, count(DISTINCT tool_session_id) AS sessions FROM 'facts/tool-session.started.parquet' GROUP BY server
), reused AS (
  SELECT server, count(DISTINCT event_id) AS calls FROM 'facts/tool-session.reused.parquet' GROUP BY server
), ends AS (
  -- The first close of a session is the one that counts (docs/proof.md).
  SELECT DISTINCT ON (tool_session_id) tool_session_id, server, age_ms, cleanup_ms
  FROM (
    SELECT tool_session_id, server, age_ms, cleanup_ms, log_partition, log_offset FROM 'facts/tool-session.closed.parquet'
    UNION ALL
    SELECT tool_session_id, server, age_ms, cleanup_ms, log_partition, log_offset FROM 'facts/tool-session.close-failed.parquet'
  )
  ORDER BY tool_session_id, log_partition, log_offset
), cost AS (
  SELECT server, count(*) AS ended, sum(age_ms)::BIGINT AS open_ms, sum(cleanup_ms)::BIGINT AS cleanup_ms FROM ends GROUP BY server
)
SELECT
  server,
  sessions,
  coalesce(calls, 0) AS reused_calls,
  coalesce(calls, 0) / (sessions + coalesce(calls, 0)) AS reuse_rate,
  coalesce(ended, 0) AS ended,
  coalesce(open_ms, 0) AS open_ms,
  coalesce(cleanup_ms, 0) AS cleanup_ms
FROM started
LEFT JOIN reused USING (server)
LEFT JOIN cost USING (server)
ORDER BY server;
