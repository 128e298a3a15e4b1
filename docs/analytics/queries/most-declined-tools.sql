-- Which tools people said no to: of the requests that a person answered.
WITH asked AS (
  SELECT DISTINCT ON (request_id) request_id, server, tool FROM 'facts/consent.requested.parquet' WHERE "grant" IS NULL
), settled AS (
  SELECT DISTINCT ON (request_id) request_id, verdict FROM 'facts/consent.settled.parquet'
)
SELECT
  server,
  tool,
  count(*) FILTER (verdict = 'declined') AS declined,
  count(*) AS answered,
  count(*) FILTER (verdict = 'declined') / count(*) AS decline_rate
FROM asked
JOIN settled USING (request_id)
WHERE verdict IN ('approved', 'declined')
GROUP BY server, tool
ORDER BY declined DESC, server, tool;
