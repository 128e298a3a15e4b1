import { DoorledgerError } from '@doorledger/contracts';
import { createLogger, NestLogger, referenceId } from './index.js';

const SECRET = 'hunter2 said the person';

function capture(level = 'info', format: 'json' | 'pretty' = 'json') {
  const lines: string[] = [];
  const logger = createLogger({ level, format, to: { write: (line) => void lines.push(line) } });
  return { logger, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

describe('an error in a log line', () => {
  it('D22 is told by class and code, never by the text of one that is not ours', () => {
    const { logger, lines, last } = capture('debug');
    const error = Object.assign(new TypeError(SECRET, { cause: new Error(SECRET) }), { code: 'ECONNREFUSED', detail: SECRET });
    logger.error(error);
    logger.error({ err: error });
    logger.error({ err: error, ref: referenceId() }, 'The turn failed.');
    logger.error({ err: SECRET });
    expect(lines.join()).not.toContain('hunter2');
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: 'error',
      err: { class: 'TypeError', code: 'ECONNREFUSED', cause: { class: 'Error' } },
    });
    expect(JSON.parse(lines[2]!)).toMatchObject({ msg: 'The turn failed.', ref: expect.stringMatching(/^[0-9a-f]{12}$/) as string });
    expect(last()).toMatchObject({ err: { class: 'string' }, msg: 'Something unexpected failed.' });
  });

  it('D22 carries the message of our own coded errors', () => {
    const { logger, last } = capture();
    logger.warn(new DoorledgerError('ERR_DATA_IN_USE', 'Another process writes here.', { cause: new Error(SECRET) }));
    expect(last()).toMatchObject({
      msg: 'Another process writes here.',
      err: { class: 'DoorledgerError', code: 'ERR_DATA_IN_USE', message: 'Another process writes here.', cause: { class: 'Error' } },
    });
  });

  it('shows stack frames at level debug only, and never a line of the message that looks like one', () => {
    const error = new Error(`no\n    at ${SECRET} (x.ts:1:1)`);
    const info = capture('info');
    info.logger.error(error);
    expect(info.last().err).toEqual({ class: 'Error' });
    const debug = capture('debug');
    debug.logger.error(error);
    const { stack } = debug.last().err as { stack: string[] };
    expect(stack[0]).toMatch(/^at .*logger\.spec/);
    expect(stack.join()).not.toContain('hunter2');
  });

  it('ends at a cause that is its own cause', () => {
    const { logger, lines } = capture();
    const error = new Error('x');
    error.cause = error;
    logger.error(error);
    expect(lines).toHaveLength(1);
  });
});

it('loses the values of names under which secrets and words of people travel', () => {
  const { logger, lines, last } = capture();
  logger.info(
    { authorization: SECRET, request: { headers: SECRET, body: SECRET, path: '/invoke' }, input: SECRET, arguments: SECRET },
    'asked',
  );
  expect(lines.join()).not.toContain('hunter2');
  expect(last()).toMatchObject({ authorization: '[redacted]', request: { body: '[redacted]', path: '/invoke' }, msg: 'asked' });
});

it('writes one line per event for a person, with the same care', () => {
  const { logger, lines } = capture('info', 'pretty');
  logger.info({ port: 8080, token: SECRET }, 'Listening.');
  logger.debug('not told');
  expect(lines).toEqual([expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: Listening\. \{"port":8080,"token":"\[redacted\]"\}\n$/)]);
});

describe("Nest's own words", () => {
  it('are for people who debug, with the class that spoke', () => {
    const { logger, lines, last } = capture('debug');
    new NestLogger(logger).log('Mapped a route', 'RouterExplorer');
    expect(last()).toMatchObject({ level: 'debug', context: 'RouterExplorer', msg: 'Mapped a route' });
    new NestLogger(capture('info').logger).log('Mapped a route', 'RouterExplorer');
    expect(lines).toHaveLength(1);
  });

  it('D22 never tell the text of an error that is not ours', () => {
    const { logger, lines, last } = capture('debug');
    const nest = new NestLogger(logger);
    nest.error(new Error(SECRET), 'ExceptionsHandler');
    nest.error(SECRET, `Error: ${SECRET}\n    at x`, 'ExceptionsHandler');
    nest.error(SECRET, `Error: ${SECRET}\n    at x`);
    nest.error(`Error: ${SECRET}`, 'NestApplication');
    expect(lines.join()).not.toContain('hunter2');
    expect(lines).toHaveLength(4);
    nest.fatal(new DoorledgerError('ERR_PORT', 'The port is taken.'));
    expect(last()).toMatchObject({ level: 'fatal', msg: 'The port is taken.' });
  });
});

it('makes reference ids that differ', () => {
  expect(new Set(Array.from({ length: 1000 }, referenceId)).size).toBe(1000);
});
