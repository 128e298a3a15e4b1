import { choice, list, text, yesOrNo } from './kind.js';
import { Setting } from './setting.js';

const file = text('a file', /^[^\0]+$/);

export class KafkaSettings {
  @Setting({
    about: 'Brokers to reach Kafka by; needed with `log: kafka`.',
    kind: list(text('', /^[^\s,:]+:\d{1,5}$/), 'a list of `host:port` (with commas between, outside the file)'),
  })
  readonly brokers?: readonly string[];

  @Setting({
    about: 'Lets a development cluster pass: topics may have fewer than 3 replicas and `min.insync.replicas` below 2.',
    kind: yesOrNo,
  })
  readonly dev: boolean = false;

  @Setting({
    about:
      'How many partitions the topics have, which is fixed when they are made: those of a log that began on Kafka (`cluster`), or the few of one that was moved there from a data folder (`embedded`).',
    kind: choice('cluster', 'embedded'),
  })
  readonly partitions: 'cluster' | 'embedded' = 'cluster';

  @Setting({ about: 'Speak TLS with the brokers.', kind: yesOrNo })
  readonly tls: boolean = false;

  @Setting({ about: 'Authorities that signed the brokers’ certificates (PEM); those of the system when left out.', kind: file })
  readonly caFile?: string;

  @Setting({ about: 'Certificate of this client (PEM), for mutual TLS.', kind: file })
  readonly certFile?: string;

  @Setting({ about: 'Private key of that certificate (PEM).', kind: file })
  readonly keyFile?: string;

  @Setting({ about: 'How to sign in at the brokers.', kind: choice('none', 'plain', 'scram-sha-256', 'scram-sha-512') })
  readonly sasl: 'none' | 'plain' | 'scram-sha-256' | 'scram-sha-512' = 'none';

  @Setting({ about: 'Name to sign in with.', kind: text('a name', /^\S{1,200}$/) })
  readonly username?: string;

  @Setting({ about: 'Password to sign in with.', kind: text('a password', /^.{1,1000}$/), secret: true })
  readonly password?: string;
}
