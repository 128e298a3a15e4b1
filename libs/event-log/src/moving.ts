import type { EventOrigin } from '@doorledger/contracts';
import { adopt } from './adoption.js';
import { LogRefusedError } from './errors.js';
import type { EventLog } from './event-log.js';
import { judgeIdentity, type GenesisExpectation } from './genesis.js';
import { readIdentity, type LogIdentity } from './log-identity.js';

/** A log that is to go on at another place. */
export interface MovingLog {
  readonly identity: LogIdentity;
  /** It says already that it goes on there: a start on it is refused. */
  readonly isHandedOver: boolean;
}

/**
 * Who the log is that is to go on at `place` (X5): one that may be started where it lies, or that was handed over to `place` before.
 * @throws LogRefusedError `ERR_MOVE_NOTHING` for a log that was never started, `ERR_LOG_MOVED` for one that went elsewhere, and those of a start
 */
export async function identityToMove(log: EventLog, place: string, expected: Omit<GenesisExpectation, 'newLogId'>): Promise<MovingLog> {
  const found = await readIdentity(log);
  if (!found)
    throw new LogRefusedError(
      'ERR_MOVE_NOTHING',
      'This log does not say who it is: nothing was ever started on it, and there is nothing to move.',
    );
  const isHandedOver = found.place === place && place !== log.place;
  const identity = await judgeIdentity(isHandedOver ? { ...found, place: log.place } : found, log, expected);
  return { identity, isHandedOver };
}

/**
 * Writes that the log goes on at `place` under the id it has. It is the last record of this log, and every start on it is refused from
 * then on (`ERR_LOG_MOVED`); carried to `place`, the same record makes it the log there.
 */
export async function handOver(log: EventLog, { identity }: MovingLog, place: string, origin: EventOrigin): Promise<void> {
  await adopt(log, { to: { ...identity, place } }, origin);
}
