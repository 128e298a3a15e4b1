import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DoorledgerConfig } from '@doorledger/config';
import { EventLogStrategy, type EventLogStrategyOptions } from '@doorledger/event-log/transport';
import type { Logger } from '@doorledger/observability';
import { HealthModule } from './health.module.js';
import { closeServer, httpApp, listen } from './http-app.js';

interface Part {
  close(): Promise<void>;
}

/** What a service opens its parts with. */
export interface Opening {
  readonly app: NestFastifyApplication;
  /** Aborts when the service is told to end. */
  readonly signal: AbortSignal;
  /** Says what is waited for: once in the log lines, and in `/ready` until it is there (K15). */
  readonly onWaiting: (missing: string) => void;
  /** The part is closed after everything that was opened later. */
  keep<T extends Part>(part: T): T;
  /** Begins to read the log for a transport's handlers. */
  read(options: Omit<EventLogStrategyOptions, 'onProblem'>): Promise<EventLogStrategy>;
}

export interface ServiceOptions {
  readonly config: DoorledgerConfig;
  readonly logger: Logger;
  readonly port: number;
  readonly modules: readonly DynamicModule[];
  /** What keeps it from serving, beside what it waits for. */
  readonly problems: () => string[];
  readonly routes?: (app: NestFastifyApplication) => void;
  readonly open: (opening: Opening) => Promise<void>;
  readonly lines: (url: string) => string[];
  /** After the sockets' last answers. */
  readonly drain?: () => Promise<void>;
  readonly end?: () => Promise<void>;
}

/** A running process: `doorledger up`, `host` or `projector`. */
export interface Service {
  readonly url: string;
  readonly lines: readonly string[];
  /** Rejects when what it waited for turned out to be wrong; never resolves. */
  readonly failed: Promise<never>;
  /** Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a process's HTTP side and its parts. The embedded log and ledger are opened first, and refuse at once what is wrong;
 * a cluster or a database may be away for a while: then the doors are there at once, and answer 503 until all is open (K15).
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger, port, modules, problems, routes, lines } = options;
  const stopping = new AbortController();
  const parts: Part[] = [];
  let missing: string | undefined;
  const health = HealthModule.with(() => [...(missing === undefined ? [] : [missing]), ...problems()]);
  const app = await httpApp([...modules, health], logger);
  routes?.(app);
  const opening: Opening = {
    app,
    signal: stopping.signal,
    onWaiting: (what) => {
      if (what !== missing) logger.warn(what);
      missing = what;
    },
    keep: (part) => {
      parts.unshift(part);
      return part;
    },
    read: (strategy) => readFor(app, logger, strategy),
  };
  const open = async () => {
    await options.open(opening);
    missing = undefined;
  };
  let begun = Promise.resolve();
  let closing: Promise<void> | undefined;
  const close = async () => {
    stopping.abort(new Error('The process is told to end.'));
    await begun.catch(() => {});
    await options.drain?.();
    await closeServer(app);
    await options.end?.();
    await app.close();
    await closeAll(parts);
  };
  try {
    const isEmbedded = config.log === 'sqlite' && config.store === 'sqlite';
    if (isEmbedded) await open();
    const url = await listen(app, config.host, port);
    if (!isEmbedded) begun = open();
    const failed = begun.then(() => new Promise<never>(() => {}));
    failed.catch(() => {});
    return { url, lines: lines(url), failed, close: () => (closing ??= close()) };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

async function readFor(
  app: NestFastifyApplication,
  logger: Logger,
  options: Omit<EventLogStrategyOptions, 'onProblem'>,
): Promise<EventLogStrategy> {
  const strategy = new EventLogStrategy({
    ...options,
    onProblem: ({ error, stopped }) =>
      logger.warn({ err: error }, stopped ? 'Reading the log has stopped.' : 'Reading the log was begun again.'),
  });
  await app.connectMicroservice({ strategy }).listen();
  return strategy;
}

/** In order; one that fails keeps none of the others open. */
async function closeAll(parts: readonly Part[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part.close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'Not every part could be closed.');
}
