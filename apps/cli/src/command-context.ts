import type { DoorledgerConfig } from '@doorledger/config';
import type { Output } from './output.js';

/** What a command that works on the log or the ledger gets. */
export interface CommandContext {
  readonly config: DoorledgerConfig;
  readonly output: Output;
  /** One line for a person, on stderr (X4). */
  readonly say: (line: string) => void;
}

/** 0 is success and nothing else is (X4). */
export type ExitCode = 0 | 1;
