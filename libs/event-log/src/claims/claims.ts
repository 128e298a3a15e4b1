import { encode, eventOf, topics, type EventOrigin, type Fact, type FactEvent } from '@doorledger/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppendIndefiniteError } from '../errors.js';
import type { EventLog, NewRecord } from '../event-log.js';
import type { Met, SessionView } from './session-view.js';

export interface ClaimsOptions {
  readonly log: Pick<EventLog, 'append'>;
  readonly view: SessionView;
  readonly origin: EventOrigin;
  /** How long to wait until the own tail meets a record, ms. */
  readonly timeoutMs?: number;
}

/** Not met in time: whether the records are on the log, and what they changed, is unknown. */
export class ClaimUnknownError extends Error {}

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

  /**
   * One atomic append; one answer per fact. `undo` says what to append when a copy of this fact turns up that its writer no
   * longer acts on: because it was void when first met, or was not met in time.
   * @throws ClaimUnknownError past the time limit; AppendRefusedError when nothing was or will be appended.
   */
  async append(key: string, facts: readonly Fact[], undo: (fact: Fact) => Fact | undefined = () => undefined): Promise<Met[]> {
    const { view, origin, timeoutMs = 5000 } = this.#options;
    const events = facts.map((fact) => eventOf(fact, origin));
    const records = events.map((event) => ({ key, ...encode(event) }));
    const meetings = events.map((event) => view.meet(event.id));
    const deadline = deadlineIn(timeoutMs);
    try {
      const met = await Promise.race([Promise.all(meetings.map((m) => m.met)), this.#appendUntilKnown(records, deadline), deadline.passed]);
      met.forEach((m, i) => m.verdict.stands || this.#giveUp(key, events[i]!, undo(facts[i]!)));
      return met;
    } catch (error) {
      for (const meeting of meetings) meeting.forget();
      events.forEach((event, i) => this.#giveUp(key, event, undo(facts[i]!)));
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
