import { join } from 'node:path';
import type { DoorledgerConfig } from '@doorledger/config';
import { readHeads } from '@doorledger/ledger';
import type { Logger } from '@doorledger/observability';
import { CheckpointFolder, Checkpointer, loadSigningKey } from '@doorledger/proof';
import type { Opening } from '../../host/src/service.js';
import type { Projection } from './projection.js';

/** Where this deployment's checkpoints lie. */
export const checkpointFolder = ({ checkpoints, data }: DoorledgerConfig): CheckpointFolder =>
  new CheckpointFolder(checkpoints.folder ?? join(data, 'checkpoints'));

/**
 * Signs what the ledger has read of the log, beside its projector (V1). To be opened after the projection, and closed before it.
 * @throws ProofError `ERR_CHECKPOINT_KEY`, `ERR_CHECKPOINT_KEY_MODE`, `ERR_CHECKPOINTS_UNWRITABLE`
 */
export async function openCheckpoints(config: DoorledgerConfig, projection: Projection, logger: Logger, opening: Opening): Promise<void> {
  const { write, keyFile, everyMs, everyRecords } = config.checkpoints;
  if (!write) return;
  const { log, projector } = projection;
  const checkpointer = await Checkpointer.begin({
    folder: checkpointFolder(config),
    key: loadSigningKey(keyFile ?? join(config.data, 'checkpoint-key.pem')),
    place: log.place,
    heads: () => readHeads(projection.store.db),
    everyMs,
    everyRecords,
    onProblem: (err) => logger.warn({ err }, 'A checkpoint could not be written; the next one covers what it would have.'),
  });
  opening.keep(checkpointer);
  projector.onApplied((_topic, _partition, _next, records) => checkpointer.moved(records));
}
