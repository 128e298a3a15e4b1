import { openKafkaLog } from './kafka-log.js';
import { describeOnKafka } from './testing/kafka-cluster.js';
import { calm } from './testing/calm-timeouts.js';
import { createTopics } from './topics-admin.js';

jest.setTimeout(60_000);

const sasl = { mechanism: 'plain' as const, username: 'host', password: 'of the host' };
const users = 'username="broker" password="of brokers" user_broker="of brokers" user_host="of the host"';
const topic = 'login';

describeOnKafka(
  'Kafka behind a login',
  (cluster) => {
    it('K15 opens with the right login, on every connection, and ends with one sentence at a wrong one', async () => {
      const connection = { brokers: cluster().bootstrap, clientId: 'spec', sasl, timeouts: calm };
      const topics = new Map([[topic, 2]]);
      await createTopics({ connection, topics, dev: true });
      const log = await openKafkaLog({ ...connection, topics, dev: true });
      const met = new Promise<string>((resolve) => {
        log.follow({ [topic]: [0, 0] }, ({ records }) => resolve(records[0]!.key));
      });
      const [position] = await log.append(topic, [{ key: 'key', value: Buffer.from('value'), headers: {} }]);
      expect(await met).toBe('key');
      expect(await log.recordAt(position!)).toMatchObject({ key: 'key' });
      await log.close();
      const wrong = openKafkaLog({ ...connection, sasl: { ...sasl, password: 'of nobody' }, topics, dev: true });
      await expect(wrong).rejects.toMatchObject({ code: 'ERR_LOG_LOGIN' });
    });
  },
  {
    brokers: 1,
    client: { sasl: { ...sasl } },
    properties: {
      'listener.security.protocol.map': 'BROKER:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
      'sasl.enabled.mechanisms': 'PLAIN',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      'listener.name.broker.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`,
    },
  },
);
