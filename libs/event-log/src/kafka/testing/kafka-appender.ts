import { appendUntilKilled } from '../../testing/child-appender.js';
import { openKafkaLog } from '../kafka-log.js';
import { calm } from './calm-timeouts.js';

const [brokers, topic, partitions] = process.argv.slice(2) as [string, string, string];
const topics = new Map([[topic, Number(partitions)]]);
await appendUntilKilled(() => openKafkaLog({ brokers: brokers.split(','), clientId: 'doorledger-spec', topics, timeouts: calm }), topic);
