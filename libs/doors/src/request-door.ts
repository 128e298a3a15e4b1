import { referenceId } from '@doorledger/observability';
import { classOf } from '@doorledger/turns';
import type { Caller } from './caller.js';
import type { Asking, Composer, Entering } from './composer.js';
import type { IngressRecorder } from './ingress/ingress-recorder.js';
import type { IngressEntry } from './ingress/ingress-entry.js';
import { outcomeOf } from './ingress/outcome.js';
import { Refused } from './refused.js';
import type { Trace } from './trace.js';
import { terminalOf } from './turns/turn-failure.js';
import type { Asked } from './wire/asked.js';
import { failure, type Failure, type Terminal } from './wire/terminal.js';

export type Durability = 'before-reply' | 'buffered';

export interface RequestDoorOptions {
  /** There once the host serves. */
  readonly composer: () => Pick<Composer, 'serve' | 'enter'>;
  readonly ingress: Pick<IngressRecorder, 'file' | 'fileRefusal'>;
  /** E5: whether the caller waits until the record is durable. */
  readonly durability: { readonly served: Durability; readonly refusals: Durability };
  /** Told of every error that is not ours, with the reference that the caller was given (D22). */
  readonly onUnexpected: (error: unknown, reference: string) => void;
  readonly now: () => number;
}

/** E7: a caller is not held longer than this by a log that does not answer. */
const FILING_TIMEOUT_MS = 5000;

const doorOf: Readonly<Record<Asked['kind'], IngressEntry['door']>> = {
  turn: 'turn',
  decision: 'turn',
  'session-op': 'session-op',
  'artifact-op': 'artifact',
};

/** Whose signal is asked for only when it is needed: to make one costs a refusal more than to judge it. */
type Asker = Pick<Asking, 'signal'>;

/** From a request's grammar to its one terminal and its one record (E1), for every door alike. */
export class RequestDoor {
  constructor(private readonly options: RequestDoorOptions) {}

  /** Never throws (D20). */
  serve(asking: Asking, bearerPresent: boolean): Terminal | Promise<Terminal> {
    const { asked } = asking;
    const trace: Trace = { door: doorOf[asked.kind], bearerPresent, ...('op' in asked && { op: asked.op }) };
    return this.#record(trace, asking, () => this.options.composer().serve(asking, trace));
  }

  /** E9: who begins a conversation; a refusal is one record at `conversation`. Never throws. */
  async enter(
    entering: Entering,
    bearerPresent: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly caller: Caller } | { readonly refused: Failure }> {
    const startedAt = this.options.now();
    const trace: Trace = { door: 'conversation', bearerPresent };
    try {
      return { caller: await this.options.composer().enter(entering, signal, trace) };
    } catch (error) {
      return { refused: await this.#file(this.#terminalOf(error, { signal }), trace, startedAt) };
    }
  }

  /** A call of the API that changes something (E13). Never throws. */
  change(op: string, bearerPresent: boolean, signal: AbortSignal, work: (trace: Trace) => Promise<Terminal>): Terminal | Promise<Terminal> {
    const trace: Trace = { door: 'api', op, bearerPresent };
    return this.#record(trace, { signal }, () => work(trace));
  }

  /** A call of the API that only reads: it leaves no record (E13). Never throws. */
  async read(signal: AbortSignal, work: (trace: Trace) => Promise<Terminal>): Promise<Terminal> {
    return this.#ended({ signal }, () => work({ door: 'api', bearerPresent: false }));
  }

  /** What is decided at once is filed at once where nobody waits for the log: a flood of refusals costs no promises. */
  #record(trace: Trace, asker: Asker, work: () => Terminal | Promise<Terminal>): Terminal | Promise<Terminal> {
    const startedAt = this.options.now();
    const ended = this.#ended(asker, work);
    return 'kind' in ended ? this.#file(ended, trace, startedAt) : ended.then((terminal) => this.#file(terminal, trace, startedAt));
  }

  #ended(asker: Asker, work: () => Terminal | Promise<Terminal>): Terminal | Promise<Terminal> {
    try {
      const ended = work();
      return 'kind' in ended ? ended : ended.catch((error: unknown) => this.#terminalOf(error, asker));
    } catch (error) {
      return this.#terminalOf(error, asker);
    }
  }

  #terminalOf(error: unknown, asker: Asker): Failure {
    return error instanceof Refused ? error.terminal : terminalOf(error, (cause) => this.#report(cause, asker));
  }

  /** E3, E9: a refusal decided before it was known what was asked. */
  refuse(terminal: Terminal, door: 'request' | 'conversation', bearerPresent: boolean, startedAt: number): Terminal {
    this.options.ingress.fileRefusal(this.#entry(terminal, { door, bearerPresent }, startedAt));
    return terminal;
  }

  #report(error: unknown, { signal }: Asker): string {
    const reference = referenceId();
    // A caller that hung up is no fault of ours, and may do so as often as it likes.
    if (!(signal.aborted && classOf(error) === 'AbortError')) this.options.onUnexpected(error, reference);
    return reference;
  }

  /** Takes the request's place in the census; waits for the log where the setting says so (E5). */
  #file<T extends Terminal>(terminal: T, trace: Trace, startedAt: number): T | Promise<T | Failure> {
    const { ingress, durability } = this.options;
    const entry = this.#entry(terminal, trace, startedAt);
    if (entry.outcome === 'served' || durability.refusals !== 'buffered') return this.#fileDurably(terminal, entry);
    ingress.fileRefusal(entry);
    return terminal;
  }

  async #fileDurably<T extends Terminal>(terminal: T, entry: IngressEntry): Promise<T | Failure> {
    const { ingress, durability } = this.options;
    const durable = ingress.file(entry).then(
      () => true,
      () => false,
    );
    if (entry.outcome === 'served' && durability.served === 'buffered') return terminal;
    if (await within(durable, FILING_TIMEOUT_MS)) return terminal;
    return failure('ERR_LOG_UNAVAILABLE', 'The log did not confirm the record of this request in time.', { turnId: terminal.turnId });
  }

  /** The trace itself, complete: a copy of it would cost a refusal more than all that is judged of it. */
  #entry(terminal: Terminal, trace: Trace, startedAt: number): IngressEntry {
    const at = this.options.now();
    trace.at = at;
    trace.outcome = outcomeOf(terminal);
    trace.durationMs = Math.max(0, at - startedAt);
    if (terminal.kind === 'fail') {
      if (terminal.code) trace.errorCode = terminal.code;
      if (terminal.errorName) trace.errorName = terminal.errorName;
    }
    if (terminal.turnId) trace.turnId = terminal.turnId;
    return trace as IngressEntry;
  }
}

/** What `work` resolves to, or false once `ms` have passed. */
async function within(work: Promise<boolean>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const outcome = await Promise.race([work, late]);
  clearTimeout(timer);
  return outcome;
}
