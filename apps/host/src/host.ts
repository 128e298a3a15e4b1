import { randomUUID } from 'node:crypto';
import { currentTraceparent, type EventOrigin } from '@doorledger/contracts';
import { peersOf, type DoorledgerConfig } from '@doorledger/config';
import {
  ConversationDoor,
  IngressRecorder,
  RequestDoor,
  TurnStreams,
  agentCoreDoor,
  apiRoutes,
  doorOperations,
  failure,
  hostOperations,
  httpDoor,
  type CountedReason,
  type Failure,
  type HttpDoorOptions,
} from '@doorledger/doors';
import type { LogTail } from '@doorledger/event-log';
import { referenceId, type Logger, type Metrics } from '@doorledger/observability';
import type { Operations } from '@doorledger/openapi';
import { HOP_PATH, HopDoor, readElsewhere } from '@doorledger/peers';
import type { FastifyInstance } from 'fastify';
import type { Access } from './access.js';
import { AwaitedLog } from './awaited-log.js';
import { HostLife } from './host-life.js';
import type { HostParts } from './host-parts.js';
import { doorMetrics } from './metrics/door-metrics.js';
import { hostGauges } from './metrics/host-gauges.js';

type Phase = 'starting' | 'ready' | 'closing';

/** D24: a stream's turn goes on so long without a reader; an ended one can be read again so long. */
const ABANDONED_AFTER_MS = 30_000;
const STREAM_KEPT_MS = 60_000;

const serving = 'Try again: another host, or this one when it is back, will serve you.';

/** A host as its doors see it: there from the first moment, serving once its log and its ledger are (K15). */
export class Host {
  readonly bootId = randomUUID();
  readonly startedAt = Date.now();
  readonly #config: DoorledgerConfig;
  readonly #logger: Logger;
  readonly #access: Access;
  readonly #metrics: Metrics;
  readonly #streams: TurnStreams;
  readonly #conversations: ConversationDoor;
  readonly #hops: HopDoor;
  readonly #log = new AwaitedLog();
  readonly #origin: EventOrigin;
  readonly #ingress: IngressRecorder;
  /** What every door hands its requests to. */
  readonly #requests: RequestDoor;
  #phase: Phase = 'starting';
  #life?: HostLife;

  constructor(config: DoorledgerConfig, logger: Logger, access: Access, metrics: Metrics) {
    this.#config = config;
    this.#logger = logger;
    this.#access = access;
    this.#metrics = metrics;
    this.#streams = new TurnStreams({
      abandonedAfterMs: config.door.onHangup === 'abort' ? ABANDONED_AFTER_MS : undefined,
      keptMs: STREAM_KEPT_MS,
    });
    this.#origin = { source: `/doorledger/${config.deployment}/${config.hostId}`, now: Date.now };
    this.#ingress = new IngressRecorder({
      log: this.#log,
      hostId: config.hostId,
      bootId: this.bootId,
      origin: this.#origin,
      ...doorMetrics(metrics),
    });
    this.#requests = new RequestDoor({
      composer: () => this.life.composer,
      ingress: this.#ingress,
      durability: config.ingress,
      onUnexpected: (err, reference) => logger.error({ err, reference }, 'A request failed.'),
      now: Date.now,
    });
    this.#conversations = new ConversationDoor({
      ...this.#door,
      onFault: (err) => logger.error({ err }, 'A conversation was ended by a fault.'),
    });
    this.#hops = new HopDoor({
      work: () => (this.unavailable() ? undefined : this.life.peers.work(this.life.runner, this.life.view)),
      streams: this.#streams,
      onStranger: () => this.count('unrouted'),
      report: (err) => {
        const reference = referenceId();
        logger.error({ err, reference }, 'A turn that a peer had forwarded failed.');
        return reference;
      },
    });
  }

  async open(
    parts: Omit<HostParts, 'config' | 'bootId' | 'logger' | 'metrics' | 'identify' | 'ingress' | 'origin' | 'onRevoked'>,
  ): Promise<HostLife> {
    this.#access.signedIn?.open(parts.deploymentKey.signIn);
    const life = await HostLife.open({
      ...parts,
      config: this.#config,
      bootId: this.bootId,
      logger: this.#logger,
      metrics: this.#metrics,
      identify: this.#access.identify,
      ingress: this.#ingress,
      origin: { ...this.#origin, trace: currentTraceparent },
      onRevoked: (userRefs) => userRefs.forEach((userRef) => this.#conversations.revoked(userRef)),
    });
    this.#log.give(life.log);
    hostGauges(this.#metrics, life, parts.log, this.#ingress);
    return (this.#life = life);
  }

  /** Its tail has begun to read: catches up and opens the doors. */
  async start(tail: LogTail): Promise<void> {
    await this.life.begin(tail);
    if (this.#phase === 'starting') this.#phase = 'ready';
  }

  get life(): HostLife {
    if (!this.#life) throw new Error('The host is not open yet.');
    return this.#life;
  }

  /** What keeps this host from serving, in words; empty when it is ready (D2). */
  problems(): string[] {
    if (this.#phase === 'closing') return ['the host is closing'];
    if (!this.#life) return ['the log or the ledger is not there yet'];
    return [
      ...(this.#phase === 'starting' ? ['the log is being read to its end'] : []),
      ...this.#life.problems(),
      ...(this.#ingress.problem ? [this.#ingress.problem] : []),
    ];
  }

  /** The refusal that every request gets right now, if any (D5, E7). */
  unavailable(): Failure | undefined {
    if (this.#phase === 'closing') return failure('ERR_HOST_CLOSED', `This host is closing. ${serving}`);
    if (this.#phase === 'starting') return failure('ERR_LOG_UNAVAILABLE', `This host is still reading the log. ${serving}`);
    const { log, tail } = this.life;
    if (log.down || tail?.stoppedBy) return failure('ERR_LOG_UNAVAILABLE', `The log does not take facts right now. ${serving}`);
    return undefined;
  }

  /** Counts a request that is no record (E4). */
  count(reason: CountedReason): void {
    this.#ingress.count(reason);
  }

  /** Its routes: the request door and its dialect, the conversation door, and the API (P5). */
  routes(fastify: FastifyInstance): void {
    httpDoor(fastify, this.#door);
    if (this.#config.door.agentcore) agentCoreDoor(fastify, { ...this.#door, running: () => this.#life?.runner.running ?? 0 });
    const hops = (...upgrade: Parameters<HopDoor['upgrade']>) => this.#hops.upgrade(...upgrade);
    this.#conversations.listen(fastify.server, peersOf(this.#config).size > 0 ? { [HOP_PATH]: hops } : {});
    apiRoutes(fastify, {
      ...this.#door,
      apis: () => this.life.apis,
      cookieOf: (request) => this.#access.signedIn?.cookieOf(request),
      elsewhere: (running, after, reader) => readElsewhere(running, after, reader, this.life.peers.peers),
    });
  }

  get #door(): HttpDoorOptions {
    const { door } = this.#config;
    return {
      path: door.path,
      sessionHeader: door.sessionHeader,
      cookie: door.cookie ? { name: door.cookieName, secure: door.cookieSecure } : undefined,
      references: () => this.life.references,
      unavailable: () => this.unavailable(),
      guard: this.#access.guard,
      door: this.#requests,
      count: (reason) => this.count(reason),
      streams: this.#streams,
      onHangup: door.onHangup,
      now: Date.now,
    };
  }

  /** What those are for (P2). */
  get operations(): Operations {
    return { ...doorOperations(this.#config.door.path), ...hostOperations };
  }

  /** R2: refuses new work and drains what runs, up to the bound. */
  async drain(): Promise<void> {
    this.#phase = 'closing';
    await this.#conversations.close(this.#life?.drain(this.#config.closeTimeoutMs));
    await this.#hops.close();
  }

  async end(): Promise<void> {
    await this.#life?.end();
  }
}
