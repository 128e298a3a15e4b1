import type { DoorledgerConfig } from '@doorledger/config';
import { DoorledgerError, topics } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';

/** The topics of the embedded log and their partition counts. */
export const embeddedTopics: ReadonlyMap<string, number> = new Map(
  Object.values(topics).map(({ name, partitions }) => [name, partitions.embedded]),
);

/**
 * The configured log, to be read beside a running process (X4).
 * @throws LogRefusedError when there is none, or it is not whole.
 */
export function openLogForReading(config: DoorledgerConfig): Promise<EventLog> {
  requireEmbedded(config);
  return openSqliteLog({ dir: config.data, role: 'reader', topics: embeddedTopics });
}

export function requireEmbedded({ log, store }: DoorledgerConfig): void {
  if (log !== 'sqlite' || store !== 'sqlite')
    throw new DoorledgerError('ERR_NOT_EMBEDDED', 'This command works on the embedded log and ledger: set log and store to sqlite.');
}
