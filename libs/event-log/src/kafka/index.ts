export { accessCommands, type Principals, projectorGroup } from './access-rules.js';
export { carryTopic, type CarryOptions, differs } from './carrier.js';
export type { Partitions } from './division.js';
export { type KafkaEventLog, type KafkaLogOptions, openKafkaLog } from './kafka-log.js';
export type { KafkaConnectionOptions, KafkaTimeouts } from './kafka-options.js';
export type { SharedReadingOptions, SharedSubscription } from './shared-reading.js';
export type { JudgeOptions, TopicProblem } from './topic-settings.js';
export { createTopics, judgeTopics, type TopicsOptions } from './topics-admin.js';
