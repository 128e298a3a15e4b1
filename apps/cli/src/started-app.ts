import type { DoorledgerConfig } from '@doorledger/config';
import type { Logger } from '@doorledger/observability';

/** A running host, projector or both. */
export interface StartedApp {
  /** What a person should know of it: where its doors are, where data lies, one thing to try. */
  readonly lines: readonly string[];
  /** Refuses new work, drains what runs for at most `closeTimeoutMs`, stops (R2). Idempotent. */
  close(): Promise<void>;
  /** Rejects when what it waited for after its start turned out to be wrong; never resolves. */
  readonly failed?: Promise<never>;
}

export type StartApp = (config: DoorledgerConfig, logger: Logger) => Promise<StartedApp>;
