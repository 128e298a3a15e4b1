export { EventLogStrategy, transports, type EventLogStrategyOptions } from './event-log.strategy.js';
