export * from './errors.js';
export * from './event-log.js';
export * from './stored-record.js';
