import { randomUUID } from 'node:crypto';
import { commandAgent } from '@doorledger/agent';
import { topics, type EventOrigin } from '@doorledger/contracts';
import type { DoorledgerConfig } from '@doorledger/config';
import { IngressRecorder, failure, turnDoor, type HttpDoorOptions, type Terminal, type TurnRequest } from '@doorledger/doors';
import { Claims, SessionView, type EventLog, type LogPositions, type LogTail } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import type { Logger } from '@doorledger/observability';
import { ContentKeys, References, type DeploymentKey, type KeyStore } from '@doorledger/privacy';
import { PrivateWriter, Sweep, TurnRunner, endEarlierRuns, sessionHistory } from '@doorledger/turns';
import { Liveness } from './liveness.js';
import { LogHealth } from './log-health.js';

export interface HostParts {
  readonly config: DoorledgerConfig;
  readonly version: string;
  readonly log: EventLog;
  readonly ledger: LedgerReader;
  readonly deploymentKey: DeploymentKey;
  readonly keyStore: KeyStore;
  readonly logger: Logger;
}

export type HostPhase = 'starting' | 'ready' | 'closing';

/** Topics whose order a host must know (L9), as far as something here reads them. */
const TAILED = [topics.session.name];

/** One life of a host: the doors' turns, its view of the sessions, its ingress count and its voice on the log. */
export class Host {
  readonly bootId = randomUUID();
  readonly startedAt = Date.now();
  readonly references: References;
  readonly view: SessionView;
  readonly ingress: IngressRecorder;
  readonly from: LogPositions;
  readonly #parts: HostParts;
  readonly #log: LogHealth;
  readonly #claims: Claims;
  readonly #runner: TurnRunner;
  readonly #liveness: Liveness;
  readonly #sweep: Sweep;
  readonly #gone = new AbortController();
  #phase: HostPhase = 'starting';
  #tail?: LogTail;

  private constructor(parts: HostParts, places: Awaited<ReturnType<LedgerReader['positions']>>) {
    const { config, log, ledger, logger } = parts;
    const { hostId } = config;
    const { bootId } = this;
    const origin: EventOrigin = { source: `/doorledger/${config.deployment}/${hostId}`, now: Date.now };
    this.#parts = parts;
    this.#log = new LogHealth(log);
    this.references = new References(parts.deploymentKey);
    this.from = Object.fromEntries(TAILED.map((name) => [name, places.positions[name]!]));
    this.view = new SessionView({ from: places.times[topics.session.name]!, row: (key) => this.#row(key) });
    this.#claims = new Claims({ log: this.#log, view: this.view, origin });
    this.ingress = new IngressRecorder({ log: this.#log, hostId, bootId, origin });
    const keys = new ContentKeys(parts.deploymentKey, parts.keyStore);
    this.#runner = new TurnRunner({
      hostId,
      bootId,
      view: this.view,
      claims: this.#claims,
      content: new PrivateWriter({ log: this.#log, keys, origin }),
      agent: commandAgent,
      history: sessionHistory({ ledger, log, keys }),
      enqueue: config.concurrency === 'enqueue',
      bounds: config.turn,
    });
    this.#liveness = new Liveness({ hostId, bootId, version: parts.version, ingress: this.ingress, log: this.#log, origin });
    this.#sweep = new Sweep({ hostId, ledger, log: this.#log, origin, onError: (err) => logger.warn({ err }, 'A sweep failed.') });
  }

  static async open(parts: HostParts): Promise<Host> {
    return new Host(parts, await parts.ledger.positions());
  }

  /** The tail has begun: catches up, ends what an earlier life left (L13) and opens the doors. */
  async start(tail: LogTail): Promise<void> {
    this.#tail = tail;
    const { config, ledger, logger } = this.#parts;
    while (!(await tail.catchUp(10_000)) && !tail.stoppedBy) logger.warn('Still reading the log to its end.');
    const ended = await endEarlierRuns({ hostId: config.hostId, bootId: this.bootId, ledger, view: this.view, claims: this.#claims });
    if (ended > 0) logger.info({ ended }, 'Ended the turns that an earlier life of this host had left open.');
    await this.#liveness.start();
    this.#sweep.start();
    this.#phase = 'ready';
  }

  /** What keeps this host from serving; empty when it is ready (D2). */
  problems(): string[] {
    const problems: string[] = [];
    if (this.#phase !== 'ready') problems.push(`host is ${this.#phase}`);
    if (this.#log.down) problems.push(`log does not take facts (${this.#log.down})`);
    if (this.#tail?.stoppedBy) problems.push('log cannot be read on');
    if (this.view.isBehind) problems.push('ledger is far behind the log');
    if (this.ingress.problem) problems.push(this.ingress.problem);
    return problems;
  }

  /** The refusal every request gets right now, if any (D5, E7). */
  unavailable(): Terminal | undefined {
    if (this.#phase === 'closing') return failure('ERR_HOST_CLOSED', 'This host is closing. Try again: another one, or the next one, will serve you.');
    if (this.#phase === 'starting') return failure('ERR_LOG_UNAVAILABLE', 'This host is still reading the log. Try again soon.');
    if (this.#log.down || this.#tail?.stoppedBy) return failure('ERR_LOG_UNAVAILABLE', 'The log does not take facts right now. Try again soon.');
    return undefined;
  }

  turn(request: TurnRequest, hangUp: AbortSignal): Promise<Terminal> {
    return turnDoor(request, AbortSignal.any([hangUp, this.#gone.signal]), {
      runner: this.#runner,
      sessionRef: (id) => this.references.sessionRef(undefined, id),
      onUnexpected: (err, reference) => this.#parts.logger.error({ err, reference }, 'A request failed.'),
    });
  }

  /** The ledger has this partition up to `next` (L9). */
  projected(topic: string, partition: number, next: number): void {
    if (topic === topics.session.name) this.view.projected(partition, next);
  }

  /** What the request door works with. */
  get door(): HttpDoorOptions {
    const { door, ingress } = this.#parts.config;
    return {
      path: door.path,
      sessionHeader: door.sessionHeader,
      ingress: this.ingress,
      durability: ingress,
      sessionRef: (id) => this.references.sessionRef(undefined, id),
      unavailable: () => this.unavailable(),
      turn: (request, signal) => this.turn(request, signal),
      now: Date.now,
    };
  }

  /** R2: refuses new work and drains what runs, up to the bound. */
  async drain(): Promise<void> {
    this.#phase = 'closing';
    this.#sweep.close();
    const bound = setTimeout(() => this.#gone.abort(), this.#parts.config.closeTimeoutMs);
    await this.#runner.drained();
    clearTimeout(bound);
  }

  /** The last word, when every request has been answered: flushes the records and tells the log that this host is gone. */
  async stop(): Promise<void> {
    this.ingress.close();
    await this.ingress.flushed();
    await this.#liveness.stop().catch((err: unknown) => this.#parts.logger.warn({ err }, 'The log did not take the last word of this host.'));
  }

  async #row(key: string): Promise<{ state: Awaited<ReturnType<LedgerReader['sessionRow']>>['state']; next: number }> {
    const { state, time } = await this.#parts.ledger.sessionRow(key);
    return { state, next: time.next };
  }
}
