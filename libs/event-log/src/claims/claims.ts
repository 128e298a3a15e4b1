import { encode, eventOf, topics, type EventOrigin, type Fact, type FactEvent } from '@doorledger/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppendIndefiniteError } from '../errors.js';
import type { EventLog, NewRecord, Position } from '../event-log.js';
import type { Meeting, Met } from './meeting.js';
import type { SessionView } from './session-view.js';

export interface ClaimsOptions {
  readonly log: Pick<EventLog, 'append' | 'appendNaming'>;
  readonly view: SessionView;
  readonly origin: EventOrigin;
  /** How long to wait until the own tail meets a record, ms. */
  readonly timeoutMs?: number;
}

/** What to append when a copy of a fact turns up that its writer does not act on; undefined: nothing. */
type Undo = (fact: Fact) => Fact | undefined;

interface Claimed {
  readonly fact: Fact;
  readonly event: FactEvent;
  readonly record: NewRecord;
  readonly meeting: Meeting;
}

/** Not met in time: whether the records are on the log, and what they changed, is unknown. */
export class ClaimUnknownError extends Error {}

const TIMEOUT_MS = 5000;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 500;
/** How long an undo is tried; past it the run's lease lapses anyway. */
const UNDO_MS = 60_000;

/**
 * Appends facts of a held session and tells what the fold made of them when the own tail met them BY THEIR EVENT IDS (L7).
 * An append whose outcome is unknown is repeated with the same ids.
 */
export class Claims {
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** Whether content and the facts that name it can be one append here. */
  get canName(): boolean {
    return this.#options.log.appendNaming !== undefined;
  }

  /**
   * One atomic append; one answer per fact. `undo` says what to append when a copy of this fact turns up that its writer no
   * longer acts on: because it was void when first met, or was not met in time.
   * @throws ClaimUnknownError past the time limit; AppendRefusedError when nothing was or will be appended.
   */
  async append(key: string, facts: readonly Fact[], undo: Undo = nothing): Promise<Met[]> {
    const begun = this.#begin(key, facts);
    return this.#answered(
      key,
      undo,
      () => begun,
      (deadline) =>
        Promise.race([
          metOf(begun),
          this.#appendUntilKnown(
            begun.map(({ record }) => record),
            deadline,
          ),
        ]),
    );
  }

  /**
   * The same for facts that name private content, with the content in front of them in one transaction. It is tried once: a second copy of
   * the content would lie elsewhere, and the facts would name another place under the same ids.
   */
  async appendNaming(key: string, content: NewRecord, factsOf: (place: Position) => readonly Fact[], undo: Undo = nothing): Promise<Met[]> {
    let begun: readonly Claimed[] = [];
    // The log calls back from an append of several requests.
    const traceparent = this.#options.origin.trace?.();
    const origin = { ...this.#options.origin, trace: () => traceparent };
    const records = ([place]: readonly Position[]) => (begun = this.#begin(key, factsOf(place!), origin)).map(({ record }) => record);
    return this.#answered(
      key,
      undo,
      () => begun,
      async () => {
        try {
          await this.#options.log.appendNaming!(topics.private.name, [content], { topic: topics.session.name, records });
        } catch (error) {
          if (!(error instanceof AppendIndefiniteError)) throw error;
        }
        return metOf(begun);
      },
    );
  }

  #begin(key: string, facts: readonly Fact[], origin = this.#options.origin): readonly Claimed[] {
    const { view } = this.#options;
    return facts.map((fact) => {
      const event = eventOf(fact, origin);
      return { fact, event, record: { key, ...encode(event) }, meeting: view.meet(event.id) };
    });
  }

  async #answered(
    key: string,
    undo: Undo,
    begun: () => readonly Claimed[],
    answer: (deadline: Deadline) => Promise<Met[]>,
  ): Promise<Met[]> {
    const deadline = deadlineIn(this.#options.timeoutMs ?? TIMEOUT_MS);
    try {
      const met = await Promise.race([answer(deadline), deadline.passed]);
      begun().forEach(({ event, fact }, i) => met[i]!.verdict.stands || this.#giveUp(key, event, undo(fact)));
      return met;
    } catch (error) {
      for (const { meeting } of begun()) meeting.forget();
      for (const { event, fact } of begun()) this.#giveUp(key, event, undo(fact));
      throw error;
    } finally {
      deadline.cancel();
    }
  }

  #giveUp(key: string, event: FactEvent, undo: Fact | undefined): void {
    if (!undo) return;
    this.#options.view.giveUp(event.id, () => {
      const record = { key, ...encode(eventOf(undo, this.#options.origin)) };
      void this.#appendUntilKnown([record], deadlineIn(UNDO_MS)).catch(() => {});
    });
  }

  /** Never resolves: the tail's meeting is the answer. Rejects when the append is refused. */
  async #appendUntilKnown(records: readonly NewRecord[], deadline: Deadline): Promise<never> {
    for (let wait = FIRST_RETRY_MS; !deadline.isOver; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
      try {
        await this.#options.log.append(topics.session.name, records);
        break;
      } catch (error) {
        if (!(error instanceof AppendIndefiniteError)) throw error;
      }
      await sleep(wait, undefined, { ref: false });
    }
    return new Promise(() => {});
  }
}

const nothing: Undo = () => undefined;

const metOf = (claimed: readonly Claimed[]): Promise<Met[]> => Promise.all(claimed.map(({ meeting }) => meeting.met));

/** Cheaper than an AbortSignal, which every claim would pay for. */
interface Deadline {
  isOver: boolean;
  /** Rejects when the time is up; never resolves. */
  readonly passed: Promise<never>;
  cancel(): void;
}

function deadlineIn(ms: number): Deadline {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      deadline.isOver = true;
      reject(new ClaimUnknownError('The own tail did not meet the claim in time.'));
    }, ms);
  });
  passed.catch(() => {});
  const cancel = () => {
    deadline.isOver = true;
    clearTimeout(timer);
  };
  const deadline: Deadline = { isOver: false, passed, cancel };
  return deadline;
}
