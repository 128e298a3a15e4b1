import { DoorledgerError } from '@doorledger/contracts';
import { LogRefusedError } from '../errors.js';
import { loginRefused } from './login-refused.js';
import { forbidden } from './log-unreachable.js';
import { tlsRefused } from './tls-refused.js';

/** What kafkajs's admin threw, as an operator's sentence. */
export function adminRefusal(error: unknown, brokers: readonly string[]): DoorledgerError {
  if (error instanceof DoorledgerError) return error;
  const cause = innermost(error);
  const { name, type = '', message } = cause as { name?: string; type?: string; message?: string };
  const refusal = loginRefused(cause) ?? tlsRefused(cause);
  if (refusal) return refusal;
  if (type.endsWith('AUTHORIZATION_FAILED')) return forbidden('or set up the topics', cause);
  if (name === 'KafkaJSCreateTopicError' || name === 'KafkaJSProtocolError')
    return new LogRefusedError(
      'ERR_TOPICS_REFUSED',
      `Kafka did not set up the topics: ${message} A development cluster of fewer than 3 brokers needs DOORLEDGER_KAFKA_DEV=1.`,
      { cause },
    );
  const where = brokers.join(', ');
  return new DoorledgerError('ERR_LOG_UNREACHABLE', `Kafka at ${where} does not answer: start the brokers, or correct kafka.brokers.`, {
    cause,
  });
}

/** kafkajs wraps what it tried several times or did for several topics. */
function innermost(error: unknown): unknown {
  const { cause, errors } = error as { cause?: unknown; errors?: readonly unknown[] };
  const inner = cause ?? errors?.[0];
  return inner === undefined ? error : innermost(inner);
}
