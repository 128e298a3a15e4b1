import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DoorledgerConfig } from '@doorledger/config';
import {
  EventLogStrategy,
  SharedLogStrategy,
  type EventLogStrategyOptions,
  type SharedLogStrategyOptions,
} from '@doorledger/event-log/transport';
import { openTracing, type Logger, type Metrics } from '@doorledger/observability';
import type { Operations } from '@doorledger/openapi';
import { version } from '../../cli/src/version.js';
import { HealthModule } from './health.module.js';
import { closeServer, httpApp, listen, type Undecided } from './http-app.js';
import type { Access } from './access.js';
import { Fate } from './fate.js';
import { openApiOf } from './openapi.module.js';
import { MetricsModule } from './metrics/metrics.module.js';

const RETRY_LINES_MS = 10_000;

interface Part {
  /** Gives up what would hold the readers of the log up, before these are closed. */
  drain?(): Promise<void>;
  close(): Promise<void>;
}

/** What a service opens its parts with. */
export interface Opening {
  readonly app: NestFastifyApplication;
  /** Aborts when the service is told to end. */
  readonly signal: AbortSignal;
  /** Says what is waited for: once in the log lines, and in `/ready` until it is there (K15). */
  readonly onWaiting: (missing: string) => void;
  /** Told whenever an append is tried again (K10): a line every 10 s at most. */
  readonly onRetry: (topic: string, cause: unknown) => void;
  /** The part is closed after everything that was opened later. */
  keep<T extends Part>(part: T): T;
  /** Begins to read the log for a transport's handlers. */
  read(options: Omit<EventLogStrategyOptions, 'onProblem'>): Promise<EventLogStrategy>;
  /** Begins to read the share of the log that a group of processes gives this one. */
  readShare(options: Omit<SharedLogStrategyOptions, 'onTrouble' | 'onStopped'>): Promise<SharedLogStrategy>;
}

export interface ServiceOptions {
  readonly config: DoorledgerConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly port: number;
  readonly access: Pick<Access, 'warnings' | 'guard'>;
  readonly modules: readonly DynamicModule[];
  /** What its routes are for (P2). */
  readonly operations: Operations;
  /** What keeps it from serving, beside what it waits for. */
  readonly problems: () => string[];
  readonly routes?: (app: NestFastifyApplication) => void;
  /** Told of each request that no door decides (E4). */
  readonly onUndecided?: (why: Undecided) => void;
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
  /** Rejects when what it waited for turned out to be wrong, or it cannot do its work any more; never resolves. */
  readonly failed: Promise<never>;
  /** Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a process's HTTP side and its parts. The embedded log and ledger are opened first, and refuse at once what is wrong;
 * whatever is not there yet is waited for with the doors open, which answer 503 until all is open (K15).
 * @throws DoorledgerError with one sentence that says what to do
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger, metrics, port, modules, problems, routes, lines } = options;
  const stopping = new AbortController();
  const fate = new Fate();
  const parts: Part[] = [];
  if (config.tracing.url !== undefined)
    parts.push(await openTracing({ url: config.tracing.url, percent: config.tracing.percent, hostId: config.hostId, version: version() }));
  let missing: string | undefined;
  let onFirstMissing!: () => void;
  const isWaiting = new Promise<void>((resolve) => (onFirstMissing = resolve));
  const whatIsWrong = () => [...(missing === undefined ? [] : [missing]), ...fate.problems, ...problems()];
  const openApi = openApiOf(options.operations, options.access);
  const around = [HealthModule.with(whatIsWrong), MetricsModule.with(metrics, config), openApi.module];
  const app = await httpApp([...modules, ...around], logger, options.onUndecided ?? (() => {}));
  meterService(metrics, app, whatIsWrong);
  openApi.watch(app);
  routes?.(app);
  const stopped = (err: Error) => {
    if (stopping.signal.aborted) return;
    logger.error({ err }, 'Reading the log has stopped.');
    fate.readingStopped(err);
  };
  const retryToldAt = new Map<string, number>();
  const opening: Opening = {
    app,
    signal: stopping.signal,
    onWaiting: (what) => {
      if (what !== missing) logger.warn(what);
      missing = what;
      onFirstMissing();
    },
    onRetry: (topic, err) => {
      if (performance.now() - (retryToldAt.get(topic) ?? -Infinity) < RETRY_LINES_MS) return;
      retryToldAt.set(topic, performance.now());
      logger.warn({ err }, `An append to ${topic} was not confirmed: the same records are appended again.`);
    },
    keep: (part) => {
      parts.unshift(part);
      return part;
    },
    read: async (reading) => {
      const onProblem: EventLogStrategyOptions['onProblem'] = ({ error, stopped: isOver }) =>
        isOver ? stopped(error) : logger.warn({ err: error }, 'Reading the log was begun again.');
      return listening(app, new EventLogStrategy({ ...reading, onProblem }));
    },
    readShare: async (reading) =>
      listening(
        app,
        new SharedLogStrategy({ ...reading, onStopped: stopped, onTrouble: (sentence, err) => logger.warn({ err }, sentence) }),
      ),
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
    for (const part of parts) await part.drain?.();
    await app.close();
    await closeAll(parts);
  };
  try {
    const isEmbedded = config.log === 'sqlite' && config.store === 'sqlite';
    if (isEmbedded) await Promise.race([(begun = open()), isWaiting]);
    const url = await listen(app, config.host, port);
    for (const warning of options.access.warnings) logger.warn(warning);
    if (!isEmbedded) begun = open();
    const failed = Promise.race([begun.then(() => fate.isSealed), fate.isSealed]);
    failed.catch(() => {});
    return { url, lines: lines(url), failed, close: () => (closing ??= close()) };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** Counts every HTTP answer by its route's pattern (E13), and says whether the process is ready. */
function meterService(metrics: Metrics, app: NestFastifyApplication, problems: () => string[]): void {
  const answers = metrics.counter('doorledger_http_requests_total');
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onResponse', ({ method, routeOptions }, { statusCode }, next) => {
    answers.add(method, routeOptions.url ?? 'unrouted', String(statusCode));
    next();
  });
  metrics.gauge('doorledger_ready', () => [{ value: problems().length === 0 ? 1 : 0 }]);
  metrics.gauge('doorledger_build_info', () => [{ labels: [version()], value: 1 }]);
}

async function listening<S extends EventLogStrategy | SharedLogStrategy>(app: NestFastifyApplication, strategy: S): Promise<S> {
  await app.connectMicroservice({ strategy }).listen();
  return strategy;
}

/** In order; one that fails keeps none of the others open. */
async function closeAll(parts: readonly Part[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts) await part.close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'Not every part could be closed.');
}
