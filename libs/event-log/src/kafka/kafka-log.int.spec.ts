import { join } from 'node:path';
import { topics as allTopics } from '@doorledger/contracts';
import type { EventLog } from '../event-log.js';
import { startChildAppender } from '../testing/child-appender.js';
import { eventLogContract, type EventLogFixture } from '../testing/event-log.contract.js';
import { logCutContract } from '../testing/log-cut.contract.js';
import { type KafkaLogOptions, openKafkaLog } from './kafka-log.js';
import { connectionTo, describeOnKafka, newTopic } from './testing/kafka-cluster.js';

jest.setTimeout(60_000);

const PARTITIONS = 4;
const maxQueuedBytes = 256 * 1024;

describeOnKafka('the Kafka log', (cluster) => {
  async function openFixture(topic: string = allTopics.session.name): Promise<EventLogFixture> {
    const options: KafkaLogOptions = { ...connectionTo(cluster()), topics: await newTopic(cluster(), topic, PARTITIONS), maxQueuedBytes };
    let log: EventLog = await openKafkaLog(options);
    return {
      log,
      topic,
      maxQueuedBytes,
      async reopen() {
        await log.close();
        return (log = await openKafkaLog(options));
      },
      startChildAppender: () =>
        startChildAppender(join(__dirname, 'testing/kafka-appender.ts'), [cluster().bootstrap.join(','), topic, String(PARTITIONS)]),
      dispose: () => log.close(),
    };
  }
  eventLogContract('kafka', openFixture);
  logCutContract('kafka', openFixture);
});
