import type { KafkaEventLog } from '@doorledger/event-log/kafka';
import type { KafkaCluster, PostgresServer } from '../../test/faults/real-parts.js';

/** A cluster of its own, with the topics of the log in it. */
export interface OnKafka {
  readonly kafka: KafkaCluster;
  readonly postgres: PostgresServer;
  readonly log: KafkaEventLog;
  readonly say: (line: string) => void;
}
