import { DoorledgerError } from '@doorledger/contracts';

/** Everything that is wrong with the configuration, one sentence per line; no value is quoted. */
export class ConfigError extends DoorledgerError {
  constructor(readonly problems: readonly string[]) {
    super('ERR_CONFIG', problems.join('\n'));
  }
}
