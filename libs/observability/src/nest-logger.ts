import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';
import { sentenceOf } from './error-line.js';

/** Nest's own words through our logger. Its start-up chatter is for people who debug, so its `log` is our `debug`. */
export class NestLogger implements LoggerService {
  constructor(readonly logger: Logger) {}

  log = (message: unknown, ...rest: unknown[]) => this.#write('debug', message, rest);
  debug = (message: unknown, ...rest: unknown[]) => this.#write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]) => this.#write('trace', message, rest);
  warn = (message: unknown, ...rest: unknown[]) => this.#write('warn', message, rest);
  error = (message: unknown, ...rest: unknown[]) => this.#write('error', message, rest);
  fatal = (message: unknown, ...rest: unknown[]) => this.#write('fatal', message, rest);

  /** Nest puts the name of the class that speaks last. What it says at level error is the text of an error, which is nobody's to see (D22). */
  #write(level: 'trace' | 'debug' | 'warn' | 'error' | 'fatal', message: unknown, rest: readonly unknown[]): void {
    const context = rest.at(-1);
    const fields = typeof context === 'string' && !context.includes('\n') ? { context } : {};
    if (message instanceof Error) this.logger[level]({ ...fields, err: message });
    else this.logger[level](fields, level === 'error' || level === 'fatal' ? sentenceOf(message) : String(message));
  }
}
