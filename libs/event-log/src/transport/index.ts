export { EventLogStrategy, transports, type EventLogStrategyOptions } from './event-log.strategy.js';
export { SharedLogStrategy, type SharedLogStrategyOptions } from './shared-log.strategy.js';
