import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { readGrantRecord, type GrantHistory, type GrantRecord } from '@doorledger/ledger';
import { foldGrant, isPast, noGrant, usesLeft, type GrantState, type GrantTerms, type GrantVerdict } from './grant-fold.js';

/** A grant that may be used. */
export interface LiveGrant extends GrantTerms {
  readonly usesLeft: number;
}

/**
 * Grants as this host has read them (N52): those of the ledger when it began, and what its own tail has met since. What is over is kept as
 * such, so that a late copy of its first record does not bring it back.
 */
export class GrantBook {
  readonly #states = new Map<string, GrantState>();
  /** Ids of grants in force, by the person they cover and by the one who gave them. */
  readonly #byPerson = new Map<string, Set<string>>();
  readonly #waiting = new Map<string, (verdict: GrantVerdict) => void>();

  /** What the ledger knows. What the tail meets again changes nothing. */
  seed(histories: readonly GrantHistory[]): void {
    for (const records of histories) for (const record of records) this.#fold(record);
  }

  /** What the tail meets of the topic `spend`, in order. */
  apply({ topic, records }: RecordBatch): void {
    if (topic !== topics.spend.name) return;
    for (const stored of records) {
      const record = readGrantRecord(stored);
      const verdict = record && this.#fold(record);
      const id = stored.decoded.id ?? '';
      const waiting = verdict && this.#waiting.get(id);
      if (!waiting) continue;
      this.#waiting.delete(id);
      waiting(verdict);
    }
  }

  /** Resolves when the tail meets the record of this event id (L7). `forget` stops waiting. */
  meet(eventId: string): { readonly met: Promise<GrantVerdict>; forget(): void } {
    const met = new Promise<GrantVerdict>((resolve) => this.#waiting.set(eventId, resolve));
    return { met, forget: () => void this.#waiting.delete(eventId) };
  }

  /** In force at `now` (epoch ms): a forecast, the log timestamp of a use judges. */
  live(grantId: string, now: number): LiveGrant | undefined {
    const state = this.#states.get(grantId);
    return state && isInForce(state) && !isPast(state.terms, now) ? { ...state.terms, usesLeft: usesLeft(state) } : undefined;
  }

  /** Grants in force that cover this person, or that it gave. O(these). */
  of(userRef: string, now: number): LiveGrant[] {
    return [...(this.#byPerson.get(userRef) ?? [])].map((grantId) => this.live(grantId, now)).filter((grant) => grant !== undefined);
  }

  all(now: number): LiveGrant[] {
    return [...this.#states.keys()].map((grantId) => this.live(grantId, now)).filter((grant) => grant !== undefined);
  }

  #fold(record: GrantRecord): GrantVerdict {
    const { grantId } = record;
    const { state, verdict } = foldGrant(this.#states.get(grantId) ?? noGrant, record);
    const isLive = isInForce(state);
    // Of what is over for good no more is kept than that it is.
    this.#states.set(grantId, state.terms && !isLive ? { ...noGrant, isRevoked: true, next: state.next } : state);
    if (state.terms) for (const person of new Set([state.terms.userRef, state.terms.by])) this.#index(person, grantId, isLive);
    return verdict;
  }

  #index(person: string, grantId: string, isLive: boolean): void {
    const ids = this.#byPerson.get(person);
    if (isLive && ids) ids.add(grantId);
    else if (isLive) this.#byPerson.set(person, new Set([grantId]));
    else if (ids?.delete(grantId) && ids.size === 0) this.#byPerson.delete(person);
  }
}

const isInForce = (state: GrantState): state is GrantState & { readonly terms: GrantTerms } =>
  state.terms !== undefined && !state.isRevoked && usesLeft(state) > 0;
