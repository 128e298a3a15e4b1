import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { errorLine, sentenceOf } from './error-line.js';
import { prettyStream } from './pretty-stream.js';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: string;
  /** `auto`: pretty when stderr is a terminal. */
  readonly format: 'auto' | 'pretty' | 'json';
  /** Where lines go; stderr when left out, because stdout is for data (X4). */
  readonly to?: DestinationStream;
}

/** Names under which secrets and people's words travel. A line that carries one by mistake loses the value, not the name. */
const NAMES = [
  'authorization',
  'cookie',
  'token',
  'key',
  'headers',
  'body',
  'input',
  'output',
  'arguments',
  'args',
  'messages',
  'text',
  'sessionId',
  'databaseUrl',
];

const redact = { paths: NAMES.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' };

/** One line per event on stderr. Errors are told by class, code and our own messages only; their frames at level debug. */
export function createLogger({ level, format, to }: LogSettings): Logger {
  const pretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY === true);
  const destination = to ?? pino.destination({ fd: 2, sync: false });
  return pino(options(level), pretty ? prettyStream(destination, process.stderr.isTTY === true) : destination);
}

function options(level: string): LoggerOptions {
  const frames = level === 'debug' || level === 'trace';
  return {
    level,
    redact,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: (error: unknown) => errorLine(error, frames) },
    hooks: {
      logMethod(args, method) {
        const [first, ...rest] = args as unknown as [unknown, ...unknown[]];
        const error = first instanceof Error ? first : (first as { err?: unknown } | null)?.err;
        // Left alone, pino takes a missing message from the error's own text.
        if (error !== undefined && rest.length === 0) rest.push(sentenceOf(error));
        method.apply(this, [first instanceof Error ? { err: first } : first, ...rest] as unknown as Parameters<typeof method>);
      },
    },
  };
}
