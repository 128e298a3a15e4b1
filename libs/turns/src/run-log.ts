import type { Message } from '@doorledger/agent';
import type { Fact } from '@doorledger/contracts';
import type { Claims, Met } from '@doorledger/event-log';
import { undoDispatch } from './call-sender.js';
import type { ContentScope, PrivateRef, PrivateWriter } from './content.js';
import type { FactLane } from './fact-lane.js';
import type { Lease, Run } from './lease.js';
import { LostRunError } from './lost-run.js';

/** What one standing run writes: records that have to stand, content that they name, and facts that nobody waits for. */
export class RunLog {
  constructor(
    private readonly options: { readonly claims: Claims; readonly content: PrivateWriter; readonly lane: FactLane },
    readonly run: Run,
    readonly scope: ContentScope,
    readonly lease: Lease,
  ) {}

  /** One atomic batch, seen to stand. @throws LostRunError; ClaimUnknownError */
  async append(facts: readonly Fact[]): Promise<Met[]> {
    return standing(await this.attempt(facts));
  }

  /** The same, where a void record is an answer. @throws ClaimUnknownError */
  attempt(facts: readonly Fact[]): Promise<Met[]> {
    return this.#stood(() => this.options.claims.append(this.run.key, facts, undoDispatch));
  }

  /**
   * Content (L10) and the facts that name it, seen to stand: in one transaction where the log can (no flush between the two), else one after
   * the other. `due` is what has to have happened before the facts are made. @throws as `append`; what `due` throws
   */
  async step(messages: readonly Message[], due: () => void | Promise<void>, factsOf: (ref: PrivateRef) => readonly Fact[]): Promise<Met[]> {
    const { claims, content } = this.options;
    const named = claims.canName ? await content.messagesRecord(this.scope, messages) : undefined;
    if (!named) {
      const ref = await this.messages(messages);
      await due();
      return this.append(factsOf(ref));
    }
    await due();
    const { record, refAt } = named;
    return standing(await this.#stood(() => claims.appendNaming(this.run.key, record, (place) => factsOf(refAt(place)), undoDispatch)));
  }

  async #stood(append: () => Promise<Met[]>): Promise<Met[]> {
    const from = performance.now();
    const met = await append();
    if (met.every(({ verdict }) => verdict.stands)) this.lease.stood(from);
    return met;
  }

  /** Sealed; durable when it resolves (L10). */
  messages(messages: readonly Message[]): Promise<PrivateRef> {
    return this.options.content.messages(this.scope, messages);
  }

  pause(text: string): Promise<PrivateRef> {
    return this.options.content.pause(this.scope, text);
  }

  note(fact: Fact): void {
    this.options.lane.add(this.run.key, fact);
  }

  /** Everything that was noted is on the log. */
  durable(): Promise<void> {
    return this.options.lane.durable();
  }

  stepped(step: number, ref: PrivateRef): Fact {
    const { turnId, runId } = this.run;
    return { type: 'turn.stepped', data: { turnId, runId, step, private: ref } };
  }
}

function standing(met: Met[]): Met[] {
  if (met.some(({ verdict }) => !verdict.stands)) throw new LostRunError();
  return met;
}
