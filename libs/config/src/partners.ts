import type { DoorledgerConfig } from './doorledger-config.js';

/** Settings that a choice cannot do without. The second name is how most people set it. `needsKey`: whether anything sealed or referenced is used. */
export function missingPartners(config: DoorledgerConfig, needsKey: boolean): string[] {
  const problems: string[] = [];
  const { kafka } = config;
  if (config.log === 'kafka' && !kafka.brokers)
    problems.push('log: kafka needs kafka.brokers, a list of host:port (or DOORLEDGER_KAFKA_BROKERS).');
  if (config.log === 'kafka' && needsKey && !config.key)
    problems.push('log: kafka needs key, the deployment key that all hosts share (or DOORLEDGER_KEY).');
  if (config.store === 'postgres' && !config.databaseUrl)
    problems.push('store: postgres needs databaseUrl, the address of the database (or DOORLEDGER_DATABASE_URL).');
  if (kafka.sasl !== 'none' && !(kafka.username && kafka.password))
    problems.push('kafka.sasl needs kafka.username and kafka.password (or DOORLEDGER_KAFKA_USERNAME and DOORLEDGER_KAFKA_PASSWORD).');
  if (Boolean(kafka.certFile) !== Boolean(kafka.keyFile))
    problems.push('kafka.certFile and kafka.keyFile come together: a certificate and its key.');
  return problems;
}

/** Settings that say something nobody reads: most often the choice beside them was forgotten. */
export function unusedPartners(config: DoorledgerConfig): string[] {
  const warnings: string[] = [];
  if (config.log !== 'kafka' && config.kafka.brokers) warnings.push('kafka.brokers is not used, because log is not kafka.');
  if (config.store !== 'postgres' && config.databaseUrl) warnings.push('databaseUrl is not used, because store is not postgres.');
  return warnings;
}
