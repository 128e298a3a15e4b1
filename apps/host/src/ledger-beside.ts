import { setTimeout as sleep } from 'node:timers/promises';
import type { LogPositions } from '@doorledger/event-log';
import { ledgerReader, type Generations, type LedgerPositions, type LedgerReader, type OpenGeneration } from '@doorledger/ledger';
import type { Opening } from './service.js';

const LOOK_EVERY_MS = 500;

const isPast = (next: LogPositions, before: LogPositions): boolean =>
  Object.entries(before).every(([topic, offsets]) => offsets.every((offset, partition) => next[topic]![partition]! >= offset));

/**
 * The ledger that projectors of other processes write. Between processes there is no signal: its places, and which generation
 * is live, are looked up twice a second. A generation that was taken into use is read from when it holds all that the one before
 * held: what that one had, this host no longer remembers itself (L9).
 */
export class LedgerBeside {
  readonly #generations: Generations;
  readonly #topics: ReadonlyMap<string, number>;
  readonly #timer: NodeJS.Timeout;
  #onPositions?: (places: LedgerPositions) => void;
  #open: OpenGeneration;
  /** Live, and not yet as far as the one that is read. */
  #next?: OpenGeneration;
  #looking = false;
  #isAway = false;

  private constructor(generations: Generations, open: OpenGeneration, topics: ReadonlyMap<string, number>) {
    this.#generations = generations;
    this.#topics = topics;
    this.#open = open;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Waits until a projector has made the ledger (K15). */
  static async open(
    generations: Generations,
    topics: ReadonlyMap<string, number>,
    { onWaiting, signal }: Pick<Opening, 'onWaiting' | 'signal'>,
  ): Promise<LedgerBeside> {
    while ((await generations.live) === undefined) {
      onWaiting('There is no ledger yet: start "doorledger projector" beside this host.');
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
    return new LedgerBeside(generations, await generations.openLiveReader(), topics);
  }

  readonly reader: LedgerReader = {
    positions: () => this.#now.positions(),
    sessionRow: (key) => this.#now.sessionRow(key),
    openRunsOf: (hostId) => this.#now.openRunsOf(hostId),
    openRunsQuietSince: (timestamp, limit) => this.#now.openRunsQuietSince(timestamp, limit),
    messagesOf: (key, after) => this.#now.messagesOf(key, after),
    holders: () => this.#now.holders(),
    turn: (turnId) => this.#now.turn(turnId),
    consent: (requestId) => this.#now.consent(requestId),
    approvedBefore: (request, limit) => this.#now.approvedBefore(request, limit),
    pendingConsentsOf: (partyRef) => this.#now.pendingConsentsOf(partyRef),
    toolCall: (callId) => this.#now.toolCall(callId),
    freezes: () => this.#now.freezes(),
    decision: (key) => this.#now.decision(key),
    grants: (now, since) => this.#now.grants(now, since),
    grant: (grantId) => this.#now.grant(grantId),
    dueConsents: (now, limit) => this.#now.dueConsents(now, limit),
    turnDetail: (turnId) => this.#now.turnDetail(turnId),
    nameKey: (ref) => this.#now.nameKey(ref),
    sealedNames: (refs) => this.#now.sealedNames(refs),
    ownedKey: (key) => this.#now.ownedKey(key),
    keysOwnedBy: (owner, after, limit) => this.#now.keysOwnedBy(owner, after, limit),
    sessionsOf: (owner, page) => this.#now.sessionsOf(owner, page),
    artifact: (key, ref, citedTo) => this.#now.artifact(key, ref, citedTo),
    lostToolSessions: (limit) => this.#now.lostToolSessions(limit),
  };

  /** Why the hosts' view of the ledger stands still, in words; empty while it answers. */
  get problems(): string[] {
    return this.#isAway ? ['the ledger does not answer'] : [];
  }

  onPositions(listener: (places: LedgerPositions) => void): void {
    this.#onPositions = listener;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#open.store.close(), this.#next?.store.close()]);
  }

  get #now(): LedgerReader {
    return ledgerReader(this.#open.store, this.#topics);
  }

  /** What fails is asked again at the next look. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const live = await this.#generations.live;
      if (live !== undefined && live !== this.#open.generation) await this.#follow(live);
      this.#onPositions?.(await this.reader.positions());
      this.#isAway = false;
    } catch {
      // Asked again at the next look; until then nothing can be let go.
      this.#isAway = true;
    } finally {
      this.#looking = false;
    }
  }

  async #follow(live: number): Promise<void> {
    if (this.#next?.generation !== live) {
      await this.#next?.store.close();
      this.#next = await this.#generations.openLiveReader();
    }
    const { positions: next } = await ledgerReader(this.#next.store, this.#topics).positions();
    // A generation that is gone cannot be waited for.
    const before = await this.reader.positions().catch(() => undefined);
    if (before && !isPast(next, before.positions)) return;
    const { store } = this.#open;
    this.#open = this.#next;
    this.#next = undefined;
    await store.close();
  }
}
