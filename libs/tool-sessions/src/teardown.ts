import type { Fact, FactData } from '@doorledger/contracts';
import { cleanUp, errorClassOf, settlesWithin, type Bound, type Cleanup, type CloseReason } from './cleanup.js';
import type { ToolSession } from './tool-session.js';

export interface TeardownOptions {
  readonly bound: Bound;
  readonly onFact: (fact: Fact) => void;
  readonly onTrouble: (sentence: string, error: unknown) => void;
}

/** Runs the cleanups of tool sessions that were ended, in the background, and says on the log how each went. */
export class Teardown {
  readonly #pending = new Set<Promise<void>>();

  constructor(private readonly options: TeardownOptions) {}

  /**
   * Starts the cleanup one tick later, so that nothing of a tool's runs inside a registration or a firing, or as soon as the
   * start in flight has settled. Once per tool session, in the order in which they come; never throws.
   */
  begin(session: ToolSession, reason: CloseReason): void {
    this.#keep(Promise.resolve().then(() => this.#run(session, reason)));
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #keep(work: Promise<void>): void {
    this.#pending.add(work);
    void work.then(() => this.#pending.delete(work));
  }

  #run(session: ToolSession, reason: CloseReason): Promise<void> | undefined {
    if (session.opening) return this.#afterStart(session, session.opening, reason);
    // A start that failed left nothing to close.
    return session.started && this.#close(session, session.started.stop, reason);
  }

  /** Nobody waits for a start longer than for a cleanup; one that ends well later is stopped all the same. */
  async #afterStart(session: ToolSession, opening: Promise<void>, reason: CloseReason): Promise<void> {
    const begun = opening.then(
      () => this.begin(session, reason),
      () => {},
    );
    if (await settlesWithin(begun, this.options.bound)) return;
    const { server } = session;
    this.options.onTrouble(
      `A tool session at ${server} was ended (${reason}) and is still being opened; it is stopped when that is done.`,
      undefined,
    );
  }

  async #close(session: ToolSession, stop: Cleanup, reason: CloseReason): Promise<void> {
    const { clock } = this.options.bound;
    const { server, calls, openedAt } = session;
    const from = clock.now();
    const failure = await cleanUp(stop, reason, this.options.bound);
    const data: FactData<'tool-session.closed'> = {
      ...session.opened(),
      calls,
      reason,
      cleanupMs: Math.round(clock.now() - from),
      ageMs: Math.round(from - openedAt),
    };
    if (!failure) return this.options.onFact({ type: 'tool-session.closed', data });
    const errorClass = errorClassOf(failure.error);
    this.options.onFact({ type: 'tool-session.close-failed', data: { ...data, errorClass } });
    this.options.onTrouble(`A tool session at ${server} was ended (${reason}), and closing it failed: ${errorClass}.`, failure.error);
  }
}
