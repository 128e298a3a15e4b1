-- Calls that were sent and of which nobody knows what became, by tool: the run is over and there is no end of the call.
-- A call may be dispatched anew after an attempt that was provably not sent, so the last attempt speaks. A person's word settles it.
-- A dispatch that lost its claim was not sent, and the topic does not say which one did: /v1/tool-calls?state=outcome-unknown leaves those out.
WITH last_attempt AS (
  SELECT DISTINCT ON (call_id) call_id, attempt, run_id, server, tool
  FROM 'facts/tool-call.dispatched.parquet'
  ORDER BY call_id, attempt DESC
), ended AS (
  SELECT call_id, attempt FROM 'facts/tool-call.finished.parquet'
  UNION
  SELECT call_id, attempt FROM 'facts/tool-call.reconciled.parquet'
), runs_over AS (
  SELECT run_id FROM 'facts/turn.completed.parquet'
  UNION
  SELECT run_id FROM 'facts/turn.failed.parquet'
  UNION
  SELECT run_id FROM 'facts/turn.lapsed.parquet'
  UNION
  SELECT run_id FROM 'facts/turn.paused.parquet'
)
SELECT
  server,
  tool,
  count(*) AS calls,
  count(*) FILTER (ended.call_id IS NULL AND runs_over.run_id IS NOT NULL) AS outcome_unknown,
  count(*) FILTER (ended.call_id IS NULL AND runs_over.run_id IS NOT NULL) / count(*) AS rate
FROM last_attempt
LEFT JOIN ended USING (call_id, attempt)
LEFT JOIN runs_over USING (run_id)
GROUP BY server, tool
ORDER BY outcome_unknown DESC, server, tool;
