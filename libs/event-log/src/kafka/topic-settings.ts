import { topicByName } from '@doorledger/contracts';

/** What is known of a topic that exists. */
export interface TopicState {
  readonly partitions: number;
  /** Of the partition that has the fewest. */
  readonly replicas: number;
  /** The values in force, by name. */
  readonly settings: ReadonlyMap<string, string>;
}

export interface TopicProblem {
  readonly topic: string;
  readonly setting: string;
  readonly found: string;
  readonly wanted: string;
  /** What to do about it. */
  readonly mend: string;
}

export interface JudgeOptions {
  /** `DOORLEDGER_KAFKA_DEV`: any replication factor and min.insync.replicas. */
  readonly dev: boolean;
  /** `CreateTime` while records are carried in with the timestamps they have (X5), `any` to look at what is there. Default `LogAppendTime`. */
  readonly timestamps?: 'LogAppendTime' | 'CreateTime' | 'any';
}

interface Rule {
  readonly setting: string;
  /** What a new topic is given. */
  readonly value: string;
  readonly wanted: string;
  readonly isKept: (found: string) => boolean;
}

export const CREATE = 'doorledger topics --create';
export const REPLICAS = 3;
const MIN_ISR = 2;
const MIN_MESSAGE_BYTES = 1024 * 1024;
/** What kafkajs and this adapter can read without a native module. */
const READABLE = ['producer', 'uncompressed', 'gzip'];

const exactly = (setting: string, value: string): Rule => ({ setting, value, wanted: value, isKept: (found) => found === value });
const atLeast = (setting: string, value: number, wanted: number): Rule => ({
  setting,
  value: String(value),
  wanted: `at least ${wanted}`,
  isKept: (found) => Number(found) >= wanted,
});

/** The settings of a topic that the law of claims leans on (K13). */
function rulesOf(topic: string, { dev, timestamps = 'LogAppendTime' }: JudgeOptions, replicas: number): Rule[] {
  return [
    exactly('cleanup.policy', 'delete'),
    ...(topicByName.get(topic)?.holds === 'derived' ? [] : [exactly('retention.ms', '-1'), exactly('retention.bytes', '-1')]),
    ...(timestamps === 'any' ? [] : [exactly('message.timestamp.type', timestamps)]),
    dev
      ? atLeast('min.insync.replicas', Math.max(1, Math.min(MIN_ISR, replicas - 1)), 1)
      : atLeast('min.insync.replicas', MIN_ISR, MIN_ISR),
    exactly('unclean.leader.election.enable', 'false'),
    { setting: 'compression.type', value: 'producer', wanted: READABLE.join(', '), isKept: (found) => READABLE.includes(found) },
    atLeast('max.message.bytes', MIN_MESSAGE_BYTES + 12, MIN_MESSAGE_BYTES),
  ];
}

/** Every setting of a topic with the value to give it; those it has already are kept. */
export function settingsToSet(
  topic: string,
  options: JudgeOptions,
  replicas: number,
  present?: TopicState['settings'],
): Map<string, string> {
  const rules = rulesOf(topic, options, replicas);
  return new Map(rules.filter(({ setting, isKept }) => !isKept(present?.get(setting) ?? '')).map(({ setting, value }) => [setting, value]));
}

/** What is wrong with a topic, the worst first; nothing for one that is as it must be. */
export function problemsOf(topic: string, wantedPartitions: number, state: TopicState | undefined, options: JudgeOptions): TopicProblem[] {
  if (!state) return [{ topic, setting: 'topic', found: 'missing', wanted: `${wantedPartitions} partitions`, mend: CREATE }];
  const problems: TopicProblem[] = [];
  if (state.partitions !== wantedPartitions)
    problems.push({
      topic,
      setting: 'partitions',
      found: String(state.partitions),
      wanted: String(wantedPartitions),
      mend: 'partition counts are fixed at creation: set kafka.partitions to how this log was made (embedded: moved from a data folder), or start a new log on topics of its own',
    });
  if (!options.dev && state.replicas < REPLICAS)
    problems.push({
      topic,
      setting: 'replication.factor',
      found: String(state.replicas),
      wanted: `at least ${REPLICAS}`,
      mend: `kafka-reassign-partitions.sh with ${REPLICAS} replicas for each partition of ${topic} (DOORLEDGER_KAFKA_DEV=1 lets a development cluster pass)`,
    });
  for (const { setting, wanted, isKept } of rulesOf(topic, options, state.replicas)) {
    const found = state.settings.get(setting) ?? 'unknown';
    if (!isKept(found)) problems.push({ topic, setting, found, wanted, mend: CREATE });
  }
  return problems;
}
