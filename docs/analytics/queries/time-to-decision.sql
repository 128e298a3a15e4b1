-- How long requests for consent waited for an answer, by tool, in seconds of the log's own clock.
-- The feed says which record settled a request (`of`); a request under a remembered grant asked nobody and is left out.
WITH asked AS (
  SELECT DISTINCT ON (request_id) request_id, server, tool, log_time AS asked_at
  FROM 'facts/consent.minted.parquet'
  WHERE "grant" IS NULL
  ORDER BY request_id, log_partition, log_offset
), settled AS (
  SELECT DISTINCT ON (request_id) request_id, verdict, of_partition, of_offset
  FROM 'facts/consent.settled.parquet'
), spent AS (
  SELECT log_partition AS of_partition, log_offset AS of_offset, log_time AS settled_at FROM 'facts/consent.spent.parquet'
)
SELECT
  server,
  tool,
  count(*) AS decided,
  min(epoch_ms(settled_at) - epoch_ms(asked_at)) / 1000 AS shortest_s,
  quantile_cont(epoch_ms(settled_at) - epoch_ms(asked_at), 0.5) / 1000 AS median_s,
  max(epoch_ms(settled_at) - epoch_ms(asked_at)) / 1000 AS longest_s
FROM asked
JOIN settled USING (request_id)
JOIN spent USING (of_partition, of_offset)
WHERE verdict IN ('approved', 'declined')
GROUP BY server, tool
ORDER BY server, tool;
