import { DoorledgerError } from '@doorledger/contracts';
import { LogRefusedError } from '../errors.js';

/** Nobody who leads the partitions answered in time. Reading can be tried again. */
export class LogUnreachableError extends DoorledgerError {
  constructor(topic: string, cause?: unknown) {
    super('ERR_LOG_UNREACHABLE', `No broker that leads ${topic} answered in time. Are the brokers up?`, { cause });
  }
}

export const forbidden = (what: string, cause?: unknown): LogRefusedError =>
  new LogRefusedError(
    'ERR_LOG_FORBIDDEN',
    `Kafka does not let this process read ${what}: "doorledger topics --acls" prints the access rules it needs.`,
    { cause },
  );
