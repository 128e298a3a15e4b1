import { setTimeout as sleep } from 'node:timers/promises';
import { brokerError } from './broker-errors.js';
import type { ClusterView } from './cluster-view.js';
import { Coordinator, GroupRefusal, type JoinAnswer } from './coordinator.js';
import { decodeShare, divide, type Partitions } from './division.js';
import { groupRefused } from './group-refused.js';
import { timeoutsOf } from './kafka-options.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;
const NEVER = -Infinity;

export interface MembershipOptions {
  readonly view: ClusterView;
  readonly group: string;
  /** Partition count of each topic the group divides. */
  readonly topics: ReadonlyMap<string, number>;
  readonly onGiven: (partitions: Partitions) => void;
  /** Everything is given back. Resolves once nothing of it is at work any more. */
  readonly onTaken: () => Promise<unknown>;
  /** Told in a sentence, once each time, when the coordinator was lost and is looked for, or the session is over. */
  readonly onTrouble?: (sentence: string, cause: unknown) => void;
}

/**
 * One member of a consumer group, which divides partitions and nothing else: no offset is committed to it, nothing is fetched by it (K11).
 * It never gives up its member id while the broker knows it: a join that the coordinator takes for the same member waits for no dead one.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #session: number;
  readonly #closing = new AbortController();
  #coordinator?: Coordinator;
  #memberId = '';
  #generation = -1;
  /** When the last request that the coordinator took was begun: it counts the session from then or later. */
  #confirmedAt = NEVER;
  /** Its loss was told. */
  #isLost = false;

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#session = timeoutsOf(options.view.options).session;
  }

  /**
   * Whether nobody else can have been given what this member has, by a clock that goes on while the process is stopped. Once it says
   * no it does so until partitions are given anew.
   */
  isCertain(): boolean {
    if (performance.now() - this.#confirmedAt >= this.#session) this.#confirmedAt = NEVER;
    return this.#confirmedAt !== NEVER;
  }

  /**
   * Joins, and joins again whenever the group changes or the coordinator is lost, until closed.
   * @throws LogRefusedError `ERR_LOG_FORBIDDEN`, `ERR_GROUP_REFUSED`: trying again is of no use
   */
  async run(): Promise<void> {
    const { signal } = this.#closing;
    for (let pause = FIRST_PAUSE_MS; !signal.aborted;) {
      try {
        await this.#join();
        pause = FIRST_PAUSE_MS;
        await this.#hold();
      } catch (error) {
        if (signal.aborted) return;
        const refusal = error instanceof GroupRefusal && groupRefused(this.#options.group, error);
        if (refusal) throw refusal;
        this.#lose(error);
        await Promise.all([this.#options.view.refresh(), sleep(pause, undefined, { signal }).catch(() => {})]);
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
  }

  /** Leaves the group, so that the others need not wait for the session's end. Never rejects. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#confirmedAt = NEVER;
    // On a new connection: on the old one a join may be waiting.
    this.#coordinator?.close();
    if (!this.#memberId) return;
    try {
      const coordinator = await Coordinator.find(this.#options.view, this.#options.group);
      await coordinator.leave(this.#memberId).finally(() => coordinator.close());
    } catch {
      // Its session ends by itself.
    }
  }

  async #reach(): Promise<Coordinator> {
    const coordinator = (this.#coordinator ??= await Coordinator.find(this.#options.view, this.#options.group));
    if (this.#closing.signal.aborted) coordinator.close();
    return coordinator;
  }

  #lose(cause: unknown): void {
    this.#coordinator?.close();
    this.#coordinator = undefined;
    if (!this.#isLost) this.#options.onTrouble?.('The broker that keeps the group of readers does not answer: it is looked for.', cause);
    this.#isLost = true;
  }

  async #join(): Promise<void> {
    const { topics, onGiven } = this.#options;
    while (!this.#closing.signal.aborted) {
      const coordinator = await this.#reach();
      const joined = await coordinator.join(this.#memberId, topics.keys());
      if (joined.errorCode === brokerError.memberIdRequired) this.#memberId = joined.memberId;
      if (this.#mustJoinAnew(joined.errorCode)) continue;
      this.#memberId = joined.memberId;
      this.#generation = joined.generationId;
      const begunAt = performance.now();
      const synced = await coordinator.sync(this.#memberId, this.#generation, this.#shares(joined));
      if (this.#mustJoinAnew(synced.errorCode)) continue;
      if (this.#closing.signal.aborted) return;
      this.#confirm(begunAt);
      onGiven(decodeShare(synced.memberAssignment));
      return;
    }
  }

  #shares({ leaderId, memberId, members }: JoinAnswer): Map<string, Partitions> {
    return leaderId === memberId ? divide(members, this.#options.topics) : new Map<string, Partitions>();
  }

  /** Heartbeats until the membership has to be made anew. The coordinator may move meanwhile. */
  async #hold(): Promise<void> {
    const { signal } = this.#closing;
    const { heartbeat } = timeoutsOf(this.#options.view.options);
    while (!signal.aborted) {
      await sleep(heartbeat, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      if (!this.isCertain()) return await this.#expire();
      const begunAt = performance.now();
      try {
        const errorCode = await (await this.#reach()).heartbeat(this.#memberId, this.#generation);
        if (this.#mustJoinAnew(errorCode) || this.#confirmedAt === NEVER) return await this.#giveBack();
        this.#confirm(begunAt);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof GroupRefusal && groupRefused(this.#options.group, error)) throw error;
        this.#lose(error);
        await this.#options.view.refresh();
      }
    }
  }

  #confirm(begunAt: number): void {
    this.#confirmedAt = begunAt;
    this.#isLost = false;
  }

  #expire(): Promise<void> {
    const sentence = 'This process was not heard of for longer than its session: others read its partitions, and it joins them again.';
    this.#options.onTrouble?.(sentence, new Error(`no confirmed heartbeat within ${this.#session} ms`));
    return this.#giveBack();
  }

  /** Joins without what is still at work only if that takes too long for the group; whoever gets its partitions fences it then. */
  async #giveBack(): Promise<void> {
    this.#confirmedAt = NEVER;
    const stop = new AbortController();
    const late = sleep(this.#session / 2, undefined, { signal: stop.signal }).catch(() => {});
    await Promise.race([this.#options.onTaken(), late]);
    stop.abort();
  }

  /** @throws GroupRefusal for what is no part of a rebalance */
  #mustJoinAnew(errorCode: number): boolean {
    switch (errorCode) {
      case brokerError.none:
        return false;
      case brokerError.unknownMember:
        this.#memberId = '';
        return true;
      case brokerError.memberIdRequired:
      case brokerError.rebalanceInProgress:
      case brokerError.illegalGeneration:
        return true;
      default:
        throw new GroupRefusal(errorCode);
    }
  }
}
