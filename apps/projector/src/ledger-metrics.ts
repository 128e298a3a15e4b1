import {
  countBlocked,
  countQuarantined,
  countWaitingConsents,
  projectedTopics,
  readTopicStatus,
  type ProjectorOptions,
} from '@doorledger/ledger';
import type { Metrics } from '@doorledger/observability';
import type { Projection } from './projection.js';

/** What a ledger is asked when it is scraped, and what its projector counts. Before it is open it has no series. */
export function ledgerMetrics(metrics: Metrics, projection: Projection): Pick<ProjectorOptions, 'onSettled'> {
  const settled = metrics.counter('doorledger_consents_settled_total');
  metrics.gauge('doorledger_ledger_lag_records', async () => {
    const { log, projector } = projection;
    const topics = await readTopicStatus(log, await projector.places(), projectedTopics);
    return topics.map(({ topic, lag }) => ({ labels: [topic], value: lag }));
  });
  metrics.gauge('doorledger_ledger_quarantined_records', async () => [{ value: await countQuarantined(projection.store.db) }]);
  metrics.gauge('doorledger_ledger_blocked_keys', async () => [{ value: await countBlocked(projection.store.db) }]);
  metrics.gauge('doorledger_ledger_stopped_partitions', () => [{ value: projection.projector.health.faults.length }]);
  metrics.gauge('doorledger_consents_waiting', async () => [{ value: await countWaitingConsents(projection.store.db) }]);
  return { onSettled: (verdict) => settled.add(verdict) };
}
