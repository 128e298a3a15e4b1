import { encode, eventOf, topics, type EventOrigin, type FactData } from '@doorledger/contracts';
import { FOLD_VERSION } from '@doorledger/event-log';
import type { IngressRecorder } from '@doorledger/doors';
import type { LogHealth } from './log-health.js';

export interface LivenessOptions {
  readonly hostId: string;
  readonly bootId: string;
  readonly version: string;
  readonly ingress: Pick<IngressRecorder, 'lastSeq' | 'durableSeq'>;
  readonly log: LogHealth;
  readonly origin: EventOrigin;
}

const EVERY_MS = 10_000;
/** While the log is down the same fact is the probe that finds it up again. */
const EVERY_MS_DOWN = 1000;

type HostFact = 'host.started' | 'host.alive' | 'host.stopped';

/** Says on the log that this host is there: started, alive every 10 s, stopped (spec 9). */
export class Liveness {
  readonly #options: LivenessOptions;
  #timer?: NodeJS.Timeout;
  #said = 0;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#say('host.started');
    this.#timer = setInterval(() => {
      void this.#options.log.probe();
      this.#beat().catch(() => {});
    }, EVERY_MS_DOWN);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#say('host.stopped');
  }

  async #beat(): Promise<void> {
    const { log, origin } = this.#options;
    if (log.down || origin.now() - this.#said >= EVERY_MS) await this.#say('host.alive');
  }

  async #say(type: HostFact): Promise<void> {
    const { hostId, bootId, version, ingress, log, origin } = this.#options;
    this.#said = origin.now();
    const data: FactData<HostFact> = {
      hostId,
      bootId,
      version,
      foldVersion: FOLD_VERSION,
      lastSeq: ingress.lastSeq,
      durableSeq: ingress.durableSeq,
    };
    await log.append(topics.system.name, [{ key: `host/${hostId}`, ...encode(eventOf({ type, data }, origin)) }]);
  }
}
