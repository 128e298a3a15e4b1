import type { EventLog } from '@doorledger/event-log';
import type { ToolServers } from '@doorledger/mcp';
import type { Metrics } from '@doorledger/observability';

type Appending = Pick<EventLog, 'append' | 'appendNaming' | 'ends'>;

/** Tells how long each append took until it was durable, and which were not confirmed. */
export function meteredAppends(log: Appending, metrics: Metrics): Appending {
  const failures = metrics.counter('doorledger_log_append_failures_total');
  const metered = async <T>(topic: string, append: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    try {
      const positions = await append();
      metrics.observe('doorledger_log_append_duration_seconds', (performance.now() - from) / 1000, topic);
      return positions;
    } catch (error) {
      const { code } = error as { code?: unknown };
      failures.add(topic, typeof code === 'string' ? code : 'uncoded');
      throw error;
    }
  };
  const plain: Appending = {
    ends: (topic) => log.ends(topic),
    append: (topic, records) => metered(topic, () => log.append(topic, records)),
  };
  if (!log.appendNaming) return plain;
  return { ...plain, appendNaming: (topic, records, naming) => metered(topic, () => log.appendNaming!(topic, records, naming)) };
}

type Calling = Pick<ToolServers, 'tools' | 'prepare'>;

/** Tells how each call ended, and how long it took. */
export function meteredServers(servers: Calling, metrics: Metrics): Calling {
  return {
    tools: () => servers.tools(),
    async prepare(context, server, tool) {
      const prepared = await servers.prepare(context, server, tool);
      return {
        ...prepared,
        async send(args, options) {
          const end = await prepared.send(args, options);
          metrics.observe('doorledger_tool_call_duration_seconds', end.durationMs / 1000, server, end.outcome);
          return end;
        },
      };
    },
  };
}
