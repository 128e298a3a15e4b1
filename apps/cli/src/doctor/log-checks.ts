import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DoorledgerConfig } from '@doorledger/config';
import { partitionCounts, topics } from '@doorledger/contracts';
import { FOLD_VERSION, checkIdentity, type EventLog } from '@doorledger/event-log';
import { loadDeploymentKey } from '@doorledger/privacy';
import { kafkaConnection } from '../../../host/src/open-log.js';
import { refuseLostLog } from '../../../host/src/refuse-lost-log.js';
import { liveHosts } from '../live-hosts.js';
import { well, wrong, type Finding } from './finding.js';

/** A clock of a process may be wrong by so much before a person should know. */
const CLOCK_TOLERANCE_MS = 5000;

/** K13: the settings of every topic on Kafka. The embedded log guards its own. */
export async function topicChecks(config: DoorledgerConfig): Promise<Finding[]> {
  if (config.log !== 'kafka') return [];
  const { judgeTopics } = await import('@doorledger/event-log/kafka');
  const problems = await judgeTopics({
    connection: kafkaConnection(config),
    topics: partitionCounts(config.kafka.partitions),
    dev: config.kafka.dev,
  });
  if (problems.length === 0) return [well('topics', 'They are as the log needs them.')];
  return problems.map(({ topic, setting, found, wanted, mend }) =>
    wrong('topics', `${topic}: ${setting} is ${found}, wanted ${wanted}.`, mend, 'ERR_TOPIC_SETTINGS'),
  );
}

/** Whether there is an embedded log at all, and the one that its ledger was made from. @throws LogRefusedError, LedgerError */
export async function isBegun({ log, store, data }: DoorledgerConfig): Promise<boolean> {
  if (log !== 'sqlite') return true;
  if (store === 'sqlite' && existsSync(data)) await refuseLostLog(data);
  return existsSync(join(data, 'log.db'));
}

/** What the log holds, and who says on it that they are there. @throws what the log throws */
export async function reachChecks(log: EventLog, now: number): Promise<Finding[]> {
  const ranges = await Promise.all([...log.topics.keys()].map((topic) => log.ends(topic)));
  const records = ranges.flat().reduce((sum, { start, end }) => sum + end - start, 0);
  const hosts = await liveHosts(log, now);
  const named = hosts.map(({ hostId }) => hostId).join(', ');
  return [well('log', `It answers and holds ${records} records.`), well('hosts', hosts.length > 0 ? `There are ${named}.` : 'None runs.')];
}

/** K8: the log is this deployment's, written under this key. @throws LogRefusedError, DeploymentKeyError */
export async function identityChecks(log: EventLog, { key, data, log: kind, store }: DoorledgerConfig): Promise<Finding[]> {
  if (kind === 'kafka' && key === undefined)
    return [wrong('key', 'There is no deployment key.', 'Set DOORLEDGER_KEY to the one that all hosts share.', 'ERR_KEY_MISSING')];
  const deploymentKey = loadDeploymentKey({ ...(key !== undefined && { configured: key }), dir: data, mayCreate: false });
  const identity = await checkIdentity(log, { keyCheck: deploymentKey.check, foldVersion: FOLD_VERSION });
  if (!identity) return [well('key', 'The log has no record yet.')];
  if (store === 'sqlite' && !existsSync(join(data, 'keys.db')))
    return [
      wrong(
        'key',
        'The log has records, and there is no keys.db.',
        'Put it back from a backup made with this log or later.',
        'ERR_KEYS_MISSING',
      ),
    ];
  return [well('key', 'The log was written under this deployment key.')];
}

/** The log's newest timestamps against this machine's clock: turns end by the one, and people read the other. */
export async function clockChecks(log: EventLog, now: number): Promise<Finding[]> {
  const { name } = topics.system;
  const [range] = await log.ends(name);
  const last = range && range.end > range.start ? await log.recordAt({ topic: name, partition: 0, offset: range.end - 1 }) : undefined;
  const ahead = (last?.timestamp ?? now) - now;
  if (ahead <= CLOCK_TOLERANCE_MS) return [well('clock', 'It is not behind the log.')];
  const says = `This machine’s clock is ${Math.round(ahead / 1000)} s behind the log’s newest record.`;
  return [wrong('clock', says, 'Set the clocks of hosts and brokers by NTP.')];
}
