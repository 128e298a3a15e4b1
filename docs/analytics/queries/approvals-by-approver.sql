-- Who decided how. A person is a reference (docs/spec/1-doors.md, O8); `null` is a door that knew nobody.
-- Uses of a remembered grant are approvals of whoever gave it, and nobody was asked: they are a column of their own.
WITH settled AS (
  SELECT DISTINCT ON (request_id) request_id, verdict, "by" AS approver FROM 'facts/consent.settled.parquet'
), asked AS (
  SELECT DISTINCT ON (request_id) request_id, "grant" FROM 'facts/consent.requested.parquet'
)
SELECT
  approver,
  count(*) FILTER (verdict = 'approved' AND "grant" IS NULL) AS approved,
  count(*) FILTER (verdict = 'declined') AS declined,
  count(*) FILTER (verdict = 'approved' AND "grant" IS NOT NULL) AS under_grants
FROM settled
JOIN asked USING (request_id)
WHERE verdict IN ('approved', 'declined')
GROUP BY approver
ORDER BY approved + declined DESC, approver;
