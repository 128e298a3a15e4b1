import { appendUntilKilled } from '../../testing/child-appender.js';
import { openKafkaLog } from '../kafka-log.js';

const [brokers, topic, partitions] = process.argv.slice(2) as [string, string, string];
const log = await openKafkaLog({
  brokers: brokers.split(','),
  clientId: 'doorledger-spec',
  topics: new Map([[topic, Number(partitions)]]),
});
await appendUntilKilled(log, topic);
