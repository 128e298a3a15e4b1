import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type KafkaLogOptions, openKafkaLog } from './kafka-log.js';
import { calm } from './testing/calm-timeouts.js';
import { describeOnKafka } from './testing/kafka-cluster.js';
import { createTopics } from './topics-admin.js';

jest.setTimeout(60_000);

const sasl = { mechanism: 'plain' as const, username: 'host', password: 'of the host' };
const users = 'username="broker" password="of brokers" user_broker="of brokers" user_host="of the host"';
const topics = new Map([['tls', 2]]);

describeOnKafka(
  'Kafka behind TLS and a login',
  (cluster) => {
    const options = (change: Partial<KafkaLogOptions> = {}): KafkaLogOptions => {
      const { ca, cert, key } = cluster().tls!;
      return { brokers: cluster().bootstrap, clientId: 'spec', ssl: { ca, cert, key }, sasl, timeouts: calm, topics, dev: true, ...change };
    };
    const codeOf = (change: Partial<KafkaLogOptions>): Promise<unknown> =>
      openKafkaLog(options(change)).then(
        async (log) => log.close(),
        ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
      );

    it('K15 reads, appends and shares partitions over mutual TLS with a login, on every connection', async () => {
      await createTopics({ connection: options(), topics, dev: true });
      const log = await openKafkaLog(options());
      const followed = new Promise<string>((resolve) => {
        log.follow({ tls: [0, 0] }, ({ records }) => resolve(records[0]!.key));
      });
      const shared = new Promise<string>((resolve) => {
        log.followShared({
          group: 'tls',
          topics: ['tls'],
          placesOf: async () => ({ tls: [0, 0] }),
          deliver: ({ records }) => resolve(records[0]!.key),
        });
      });
      const [position] = await log.append('tls', [{ key: 'key', value: Buffer.from('value'), headers: {} }]);
      expect(await Promise.all([followed, shared])).toEqual(['key', 'key']);
      expect(await log.recordAt(position!)).toMatchObject({ key: 'key' });
      await log.close();
    });

    it('K15 ends with one sentence at an authority that did not sign the brokers’ certificate', async () => {
      const { cert, key } = cluster().tls!;
      expect(await codeOf({ ssl: { cert, key } })).toMatch(
        /^ERR_LOG_TLS No safe connection to Kafka: the brokers' certificate is not accepted \(\w+\)\./,
      );
    });

    it('K15 ends with one sentence where the brokers want a certificate of this client', async () => {
      const { ca } = cluster().tls!;
      expect(await codeOf({ ssl: { ca } })).toMatch(/^ERR_LOG_TLS .* the brokers do not accept the certificate of this client\./);
    });

    it('K15 ends with one sentence at a wrong password, and at a broker of another name', async () => {
      expect(await codeOf({ sasl: { ...sasl, password: 'of nobody' } })).toMatch(/^ERR_LOG_LOGIN /);
      const [port] = cluster().bootstrap.map((broker) => broker.split(':')[1]);
      expect(await codeOf({ brokers: [`localhost:${port}`] })).toMatch(/^ERR_LOG_TLS .*\(ERR_TLS_CERT_ALTNAME_INVALID\)\./);
    });

    it('K15 ends with one sentence at a file that holds no certificate, and at a broker that speaks no TLS', async () => {
      expect(await codeOf({ ssl: { cert: 'no certificate' } })).toMatch(/^ERR_LOG_TLS .* cannot be used\./);
      const plain = createServer((socket) => socket.on('data', () => socket.write('no TLS'))).listen(0, '127.0.0.1');
      await once(plain, 'listening');
      const { port } = plain.address() as AddressInfo;
      expect(await codeOf({ brokers: [`127.0.0.1:${port}`] })).toMatch(/^ERR_LOG_TLS .* do not speak TLS/);
      plain.close();
    });
  },
  {
    brokers: 1,
    tls: true,
    client: { sasl: { ...sasl } },
    properties: {
      'sasl.enabled.mechanisms': 'PLAIN',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      'listener.name.broker.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`,
    },
  },
);
