import type { DoorledgerConfig } from './doorledger-config.js';
import { issuersOf } from './issuers-of.js';
import { hasPeerTwice } from './peers.js';

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
  if (config.agent === 'chat' && !(config.model.baseUrl && config.model.name))
    problems.push('agent: chat needs model.baseUrl and model.name (or DOORLEDGER_MODEL_BASE_URL and DOORLEDGER_MODEL_NAME).');
  if (hasPeerTwice(config)) problems.push('peers names a host twice.');
  return [...problems, ...missingAtTheDoors(config)];
}

function missingAtTheDoors({ oidc, identity, signIn, admission, store }: DoorledgerConfig): string[] {
  const problems: string[] = [];
  if (Boolean(oidc.issuer) !== Boolean(oidc.audiences))
    problems.push(
      'oidc.issuer and oidc.audiences come together: whose tokens, and for whom (or DOORLEDGER_OIDC_ISSUER and DOORLEDGER_OIDC_AUDIENCES).',
    );
  const issuers = issuersOf({ oidc, identity }).map(({ issuer }) => issuer);
  if (new Set(issuers).size < issuers.length) problems.push('identity.issuers names an issuer twice, or the one of oidc.issuer again.');
  if (signIn.clientId && !(signIn.publicUrl && oidc.issuer))
    problems.push(
      'signIn.clientId needs signIn.publicUrl and oidc.issuer: where people come from, and who says who they are (or DOORLEDGER_SIGN_IN_PUBLIC_URL and DOORLEDGER_OIDC_ISSUER).',
    );
  if (signIn.clientSecret && signIn.clientSecretFile)
    problems.push('signIn.clientSecret and signIn.clientSecretFile both name the secret: set one of them.');
  if (admission.turnsPerHour === undefined && admission.anonymousTurnsPerHour !== undefined)
    problems.push('admission.anonymousTurnsPerHour needs admission.turnsPerHour (or DOORLEDGER_ADMISSION_TURNS_PER_HOUR).');
  if (admission.turnsPerHour !== undefined && store === 'postgres' && !admission.whenStoreDown)
    problems.push(
      'admission.turnsPerHour with store: postgres needs admission.whenStoreDown, refuse or allow (or DOORLEDGER_ADMISSION_WHEN_STORE_DOWN).',
    );
  return problems;
}

/** Settings that say something nobody reads: most often the choice beside them was forgotten. */
export function unusedPartners(config: DoorledgerConfig): string[] {
  const warnings: string[] = [];
  if (config.log !== 'kafka' && config.kafka.brokers) warnings.push('kafka.brokers is not used, because log is not kafka.');
  if (config.store !== 'postgres' && config.databaseUrl) warnings.push('databaseUrl is not used, because store is not postgres.');
  if (config.log !== 'kafka' && config.peers) warnings.push('peers is not used, because log is not kafka.');
  const isOpen = issuersOf(config).length === 0;
  if (isOpen && config.identity.allowAnonymous) warnings.push('identity.allowAnonymous is not used, because no issuer is named.');
  if (!isOpen && config.identity.open) warnings.push('identity.open is not used, because an issuer is named.');
  if (config.admission.turnsPerHour !== undefined && config.log === 'kafka' && config.store !== 'postgres')
    warnings.push('admission.turnsPerHour counts on each host by itself, because store is not postgres.');
  if (!config.signIn.clientId && config.signIn.publicUrl)
    warnings.push('signIn.publicUrl is not used, because signIn.clientId is not set.');
  if (config.agent !== 'chat' && config.model.name) warnings.push('model.name is not used, because agent is not chat.');
  return warnings;
}
