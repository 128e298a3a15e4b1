import type { DoorledgerConfig } from './doorledger-config.js';

/** Settings that a choice cannot do without. The second name is how most people set it. */
export function missingPartners(config: DoorledgerConfig): string[] {
  const problems: string[] = [];
  if (config.log === 'kafka' && !config.kafkaBrokers)
    problems.push('log: kafka needs kafkaBrokers, a list of host:port (or DOORLEDGER_KAFKA_BROKERS).');
  if (config.log === 'kafka' && !config.key)
    problems.push('log: kafka needs key, the deployment key that all hosts share (or DOORLEDGER_KEY).');
  if (config.store === 'postgres' && !config.databaseUrl)
    problems.push('store: postgres needs databaseUrl, the address of the database (or DOORLEDGER_DATABASE_URL).');
  return problems;
}

/** Settings that say something nobody reads: most often the choice beside them was forgotten. */
export function unusedPartners(config: DoorledgerConfig): string[] {
  const warnings: string[] = [];
  if (config.log !== 'kafka' && config.kafkaBrokers) warnings.push('kafkaBrokers is not used, because log is not kafka.');
  if (config.store !== 'postgres' && config.databaseUrl) warnings.push('databaseUrl is not used, because store is not postgres.');
  return warnings;
}
