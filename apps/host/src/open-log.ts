import { readFileSync } from 'node:fs';
import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError, partitionCounts } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import type { KafkaConnectionOptions } from '@doorledger/event-log/kafka';

export interface LogOpening {
  /** Told in a sentence what is missing while a cluster is waited for (K15). */
  readonly onWaiting: (missing: string) => void;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Told when an append to a cluster is tried again (K10). */
  readonly onRetry?: (topic: string, cause: unknown) => void;
  /** On the embedded log: beside its writer, or as its writer. */
  readonly role: 'writer' | 'reader';
}

/**
 * The configured log. Kafka's client is loaded only where it is used.
 * @throws LogRefusedError when it is not what it should be, `ERR_CONFIG_FILE` for a certificate that cannot be read
 */
export async function openLog(config: DoorledgerConfig, { onWaiting, signal, onRetry, role }: LogOpening): Promise<EventLog> {
  if (config.log === 'sqlite') return openSqliteLog({ dir: config.data, role, topics: partitionCounts('embedded') });
  const { openKafkaLog } = await import('@doorledger/event-log/kafka');
  return openKafkaLog({
    ...kafkaConnection(config),
    topics: partitionCounts(config.kafka.partitions),
    dev: config.kafka.dev,
    onWaiting,
    onRetry,
    signal,
  });
}

/** How the configuration says to reach Kafka. */
export function kafkaConnection({ kafka, hostId }: DoorledgerConfig): KafkaConnectionOptions {
  const { brokers = [], tls, caFile, certFile, keyFile, sasl, username = '', password = '' } = kafka;
  const ssl = tls && { ca: pem(caFile), cert: pem(certFile), key: pem(keyFile) };
  return {
    brokers,
    clientId: `doorledger-${hostId}`,
    ...(ssl && { ssl }),
    ...(sasl !== 'none' && { sasl: { mechanism: sasl, username, password } }),
  };
}

function pem(path: string | undefined): string | undefined {
  try {
    return path && readFileSync(path, 'utf8');
  } catch (cause) {
    throw new DoorledgerError(
      'ERR_CONFIG_FILE',
      `The file ${path} that the kafka settings name cannot be read: check its path and rights.`,
      { cause },
    );
  }
}
