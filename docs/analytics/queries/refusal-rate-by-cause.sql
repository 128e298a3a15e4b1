-- How often the doors refused, and why: each cause with its share of all requests.
-- Requests that have no record of their own are in counts (spec/5-ingress.md), so both files are needed for the whole.
WITH recorded AS (
  SELECT DISTINCT ON (event_id) outcome, coalesce(identity_failure, error_code, error_name, outcome) AS cause
  FROM 'facts/ingress.recorded.parquet'
  WHERE source IS NULL -- else a record of somebody else's door
), counted AS (
  SELECT DISTINCT ON (event_id) reason AS cause, "count" AS requests
  FROM 'facts/ingress.counted.parquet'
), requests AS (
  SELECT outcome <> 'served' AS is_refused, cause, 1 AS requests FROM recorded
  UNION ALL
  SELECT true, cause, requests FROM counted
)
SELECT
  cause,
  sum(requests)::BIGINT AS refused,
  sum(requests) / (SELECT sum(requests) FROM requests) AS share
FROM requests
WHERE is_refused
GROUP BY cause
ORDER BY refused DESC, cause;
