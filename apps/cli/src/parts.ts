import type { DoorledgerConfig } from '@doorledger/config';
import type { EventLog } from '@doorledger/event-log';
import type { Generations } from '@doorledger/ledger';
import { openLog, type LogOpening } from '../../host/src/open-log.js';
import type { CommandContext } from './command-context.js';

interface Part {
  close(): Promise<void>;
}

/** What a command works with. A cluster or a database that is away is waited for, which a line on stderr says (K15). */
export class Parts {
  readonly onWaiting: (missing: string) => void;
  readonly #config: DoorledgerConfig;
  readonly #open: Part[] = [];

  /** `signal` ends the waiting. */
  constructor(
    { config, say }: CommandContext,
    readonly signal: AbortSignal = new AbortController().signal,
  ) {
    this.#config = config;
    this.onWaiting = say;
  }

  /**
   * The configured log: to be read beside a running process (X4), or to be written in its stead.
   * @throws LogRefusedError when there is none, or it is not whole; `ERR_DATA_IN_USE`
   */
  async log(role: LogOpening['role'] = 'reader'): Promise<EventLog> {
    return this.keep(await openLog(this.#config, { ...this.#waiting, role }));
  }

  /** @throws LedgerError when the database cannot be used */
  async generations(): Promise<Generations> {
    const { openGenerations } = await import('../../host/src/open-ledger.js');
    return openGenerations(this.#config, { ...this.#waiting, keep: (part) => this.keep(part) });
  }

  /** The part is closed after everything that was opened later. */
  keep<T extends Part>(part: T): T {
    this.#open.unshift(part);
    return part;
  }

  async close(): Promise<void> {
    for (const part of this.#open.splice(0)) await part.close();
  }

  get #waiting(): Pick<Parts, 'onWaiting' | 'signal'> {
    return { onWaiting: this.onWaiting, signal: this.signal };
  }
}
