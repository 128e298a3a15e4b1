/** One metric: what Prometheus is told of it. Labels are classes or configured names, never a session, a user or a call (P8). */
export interface MetricDefinition {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

const counter = (help: string, ...labels: string[]) => ({ kind: 'counter', help, labels }) as const;
const gauge = (help: string, ...labels: string[]) => ({ kind: 'gauge', help, labels }) as const;
const histogram = (help: string, ...labels: string[]) => ({ kind: 'histogram', help, labels }) as const;

/** Every metric of ours, by the name it is scraped under. */
export const metricDefinitions = {
  doorledger_build_info: gauge('1; the release as a label.', 'version'),
  doorledger_ready: gauge('1 while the process can serve, 0 while /ready says 503.'),
  doorledger_http_requests_total: counter('HTTP answers by route and status.', 'method', 'route', 'status'),
  doorledger_requests_total: counter('Requests that a door decided, by door and outcome of the ingress record.', 'door', 'outcome'),
  doorledger_refusals_total: counter('Decided requests that were not served, by outcome and cause.', 'outcome', 'cause'),
  doorledger_requests_counted_total: counter('Requests that are no records, by why.', 'reason'),
  doorledger_ingress_waiting_records: gauge('Ingress records that wait for the log.'),
  doorledger_turn_duration_seconds: histogram('Time from a request to the end of its turn or to its pause, by outcome.', 'outcome'),
  doorledger_turns_running: gauge('Turns that run on this host.'),
  doorledger_tool_call_duration_seconds: histogram(
    'Time of a tool call from its dispatch to its end, by server and outcome.',
    'server',
    'outcome',
  ),
  doorledger_tool_sessions_live: gauge('Tool sessions that are open on this host, by server.', 'server'),
  doorledger_log_append_duration_seconds: histogram('Time until an append is durable, by topic.', 'topic'),
  doorledger_log_append_failures_total: counter('Appends that the log did not confirm, by topic and code.', 'topic', 'code'),
  doorledger_tail_lag_records: gauge('Records on the log that this host has not met yet, by topic.', 'topic'),
  doorledger_ledger_lag_records: gauge('Records on the log that the ledger does not have yet, by topic.', 'topic'),
  doorledger_ledger_quarantined_records: gauge('Records that nobody can read, of topics without claims.'),
  doorledger_ledger_blocked_keys: gauge('Sessions that stand still behind a record that nobody can read.'),
  doorledger_ledger_stopped_partitions: gauge('Partitions whose projection a bug stopped.'),
  doorledger_stream_readers: gauge('Streams of facts that are open here.'),
  doorledger_stream_dropped_total: counter('Readers of the stream of facts that were dropped because they were too slow.'),
  doorledger_consents_waiting: gauge('Requests for consent that nobody has decided.'),
  doorledger_consents_settled_total: counter('Requests for consent that this projector saw settled, by how.', 'verdict'),
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof metricDefinitions;
type OfKind<K extends MetricDefinition['kind']> = {
  [N in MetricName]: (typeof metricDefinitions)[N]['kind'] extends K ? N : never;
}[MetricName];
export type CounterName = OfKind<'counter'>;
export type GaugeName = OfKind<'gauge'>;
export type HistogramName = OfKind<'histogram'>;
