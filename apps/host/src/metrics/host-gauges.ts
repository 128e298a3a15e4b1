import type { IngressRecorder } from '@doorledger/doors';
import type { EventLog } from '@doorledger/event-log';
import { readTopicStatus } from '@doorledger/ledger';
import type { Metrics } from '@doorledger/observability';
import type { HostLife } from '../host-life.js';

type Measured = Pick<HostLife, 'tail' | 'runner' | 'tools'>;

/** What a host is asked when it is scraped. */
export function hostGauges(metrics: Metrics, life: Measured, log: Pick<EventLog, 'ends'>, ingress: Pick<IngressRecorder, 'waiting'>): void {
  metrics.gauge('doorledger_turns_running', () => [{ value: life.runner.running }]);
  metrics.gauge('doorledger_ingress_waiting_records', () => [{ value: ingress.waiting }]);
  metrics.gauge('doorledger_tool_sessions_live', () =>
    [...life.tools.sessions.liveByServer()].map(([server, value]) => ({ labels: [server], value })),
  );
  metrics.gauge('doorledger_tail_lag_records', async () => {
    const applied = life.tail?.applied ?? {};
    const topics = await readTopicStatus(log, applied, Object.keys(applied));
    return topics.map(({ topic, lag }) => ({ labels: [topic], value: lag }));
  });
}
