import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';

/** Turns each JSON line into one for a person: time, level, sentence, then what else it carries. */
export function prettyStream(to: DestinationStream, colorize: boolean): DestinationStream {
  const pretty = prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss', singleLine: true, ignore: 'pid,hostname' });
  return { write: (line) => to.write(pretty(line) ?? line) };
}
