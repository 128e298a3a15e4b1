import { createSecureContext } from 'node:tls';
import { LogRefusedError } from '../errors.js';
import type { KafkaConnectionOptions } from './kafka-options.js';

/** What OpenSSL and Node call a certificate, a key or a handshake that is not right. */
const NOT_RIGHT = /CERT|SIGNED|SIGNATURE|^ERR_SSL|^ERR_TLS|^ERR_OSSL|^ERR_CRYPTO/;

/** @throws LogRefusedError `ERR_LOG_TLS` for certificates and keys that cannot be used: kafkajs would try them for ever. */
export function judgeTls({ ssl }: KafkaConnectionOptions): void {
  if (typeof ssl !== 'object') return;
  try {
    createSecureContext(ssl);
  } catch (error) {
    throw refused('an authority, the certificate or the key of this client cannot be used', error);
  }
}

/** Undefined where TLS is not what went wrong. */
export function tlsRefused(error: unknown): LogRefusedError | undefined {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !NOT_RIGHT.test(code)) return undefined;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return refused('the brokers do not speak TLS at this address', error);
  if (code.includes('ALERT')) return refused('the brokers do not accept the certificate of this client', error);
  return refused(`the brokers' certificate is not accepted (${code})`, error);
}

const refused = (why: string, cause: unknown): LogRefusedError =>
  new LogRefusedError(
    'ERR_LOG_TLS',
    `No safe connection to Kafka: ${why}. Check kafka.tls, kafka.caFile, kafka.certFile and kafka.keyFile, and the brokers' names.`,
    { cause },
  );
