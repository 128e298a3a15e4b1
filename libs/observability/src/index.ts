export { errorLine, type ErrorLine } from './error-line.js';
export { createLogger, type Logger, type LogSettings } from './logger.js';
export { NestLogger } from './nest-logger.js';
export { referenceId } from './reference-id.js';
