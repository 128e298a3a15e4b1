import { randomUUID } from 'node:crypto';
import type { DoorledgerConfig } from '@doorledger/config';
import { failure, turnDoor, type HttpDoorOptions, type Terminal, type TurnRequest } from '@doorledger/doors';
import type { LogTail } from '@doorledger/event-log';
import type { Logger } from '@doorledger/observability';
import { HostLife, type HostParts } from './host-life.js';

type Phase = 'starting' | 'ready' | 'closing';

const serving = 'Try again: another host, or this one when it is back, will serve you.';

/** A host as its doors see it: there from the first moment, serving once its log and its ledger are (K15). */
export class Host {
  readonly bootId = randomUUID();
  readonly startedAt = Date.now();
  readonly #config: DoorledgerConfig;
  readonly #logger: Logger;
  #phase: Phase = 'starting';
  #life?: HostLife;

  constructor(config: DoorledgerConfig, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  async open(parts: Omit<HostParts, 'config' | 'bootId' | 'logger'>): Promise<HostLife> {
    return (this.#life = await HostLife.open({ ...parts, config: this.#config, bootId: this.bootId, logger: this.#logger }));
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
    return [...(this.#phase === 'starting' ? ['the log is being read to its end'] : []), ...this.#life.problems()];
  }

  /** The refusal that every request gets right now, if any (D5, E7). */
  unavailable(): Terminal | undefined {
    if (this.#phase === 'closing') return failure('ERR_HOST_CLOSED', `This host is closing. ${serving}`);
    if (this.#phase === 'starting') return failure('ERR_LOG_UNAVAILABLE', `This host is still reading the log. ${serving}`);
    const { log, tail } = this.life;
    if (log.down || tail?.stoppedBy) return failure('ERR_LOG_UNAVAILABLE', `The log does not take facts right now. ${serving}`);
    return undefined;
  }

  /** What the request door works with. */
  get door(): HttpDoorOptions {
    const { door, ingress } = this.#config;
    return {
      path: door.path,
      sessionHeader: door.sessionHeader,
      durability: ingress,
      file: (entry) => this.life.ingress.file(entry),
      sessionRef: (id) => this.life.references.sessionRef(undefined, id),
      unavailable: () => this.unavailable(),
      turn: (request, signal) => this.#turn(request, signal),
      now: Date.now,
    };
  }

  #turn(request: TurnRequest, signal: AbortSignal): Promise<Terminal> {
    const { runner, references } = this.life;
    return turnDoor(request, signal, {
      runner,
      sessionRef: (id) => references.sessionRef(undefined, id),
      onUnexpected: (err, reference) => this.#logger.error({ err, reference }, 'A request failed.'),
    });
  }

  /** R2: refuses new work and drains what runs, up to the bound. */
  async drain(): Promise<void> {
    this.#phase = 'closing';
    await this.#life?.drain(this.#config.closeTimeoutMs);
  }

  async end(): Promise<void> {
    await this.#life?.end();
  }
}
