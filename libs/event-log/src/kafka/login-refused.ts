import { LogRefusedError } from '../errors.js';

const TYPES = ['SASL_AUTHENTICATION_FAILED', 'UNSUPPORTED_SASL_MECHANISM'];

/** Undefined where the login is not what went wrong. */
export function loginRefused(error: unknown): LogRefusedError | undefined {
  const { name, type = '' } = error as { name?: string; type?: string };
  if (name !== 'KafkaJSSASLAuthenticationError' && !TYPES.includes(type)) return undefined;
  return new LogRefusedError('ERR_LOG_LOGIN', 'Kafka refuses the login: check the SASL mechanism, the user and the password.', {
    cause: error,
  });
}
