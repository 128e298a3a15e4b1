import type { AnyFactEvent } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import type { Freeze, KnownFreezes } from '@doorledger/ledger';

/** Whose work is judged, and which tool it is about to call; what is not known is left out. */
export interface FreezeSubject {
  readonly server?: string;
  /** By its own name, without the server's. */
  readonly tool?: string;
  readonly tenantRef?: string;
  readonly userRef?: string;
}

/** Operators' freezes as this host has read them (P6): the first set of an id stands, and its first lift ends it for good. */
export class FreezeBook {
  readonly #live = new Map<string, Freeze>();
  readonly #lifted = new Set<string>();
  /** Ids of live freezes, by what they stop. */
  readonly #byTarget = new Map<string, Set<string>>();
  readonly #waits = new Set<() => void>();

  get isEmpty(): boolean {
    return this.#live.size === 0;
  }

  /** Those in force, in the order they were met. */
  get live(): readonly Freeze[] {
    return [...this.#live.values()];
  }

  stateOf(freezeId: string): 'live' | 'lifted' | undefined {
    if (this.#lifted.has(freezeId)) return 'lifted';
    return this.#live.has(freezeId) ? 'live' : undefined;
  }

  /** Resolves true once the tail has met that it was set, or that it was lifted; false when `ms` have passed. */
  met(freezeId: string, state: 'live' | 'lifted', ms: number): Promise<boolean> {
    const isMet = () => this.#lifted.has(freezeId) || (state === 'live' && this.#live.has(freezeId));
    if (isMet()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const end = (met: boolean) => {
        clearTimeout(late);
        this.#waits.delete(look);
        resolve(met);
      };
      const look = () => isMet() && end(true);
      const late = setTimeout(end, ms, false);
      this.#waits.add(look);
    });
  }

  /** The freeze that stops this, if any; O(1). */
  frozenBy({ server, tool, tenantRef, userRef }: FreezeSubject): string | undefined {
    if (this.isEmpty) return undefined;
    return (
      this.#first('everything', '') ??
      (server === undefined ? undefined : this.#first('server', server)) ??
      (tool === undefined ? undefined : this.#first('tool', `${server}.${tool}`)) ??
      (tenantRef === undefined ? undefined : this.#first('tenant', tenantRef)) ??
      (userRef === undefined ? undefined : this.#first('user', userRef))
    );
  }

  /** What the ledger knows. What the tail meets again changes nothing. */
  seed({ live, lifted }: KnownFreezes): void {
    for (const freezeId of lifted) this.lift(freezeId);
    for (const freeze of live) this.set(freeze);
  }

  /** What the tail meets of the topic `system`, in order. */
  apply({ records }: RecordBatch): void {
    for (const { decoded, timestamp } of records) {
      const event = decoded.body as AnyFactEvent | undefined;
      if (event?.type === 'freeze.set') this.set({ ...event.data, setAt: timestamp });
      else if (event?.type === 'freeze.lifted') this.lift(event.data.freezeId);
    }
    for (const look of this.#waits) look();
  }

  set(freeze: Freeze): void {
    const { freezeId, target } = freeze;
    if (this.stateOf(freezeId) !== undefined) return;
    this.#live.set(freezeId, freeze);
    const key = keyOf(target.kind, target.name ?? '');
    const ids = this.#byTarget.get(key);
    if (ids) ids.add(freezeId);
    else this.#byTarget.set(key, new Set([freezeId]));
  }

  lift(freezeId: string): void {
    this.#lifted.add(freezeId);
    const freeze = this.#live.get(freezeId);
    if (!freeze) return;
    this.#live.delete(freezeId);
    const key = keyOf(freeze.target.kind, freeze.target.name ?? '');
    const ids = this.#byTarget.get(key)!;
    ids.delete(freezeId);
    if (ids.size === 0) this.#byTarget.delete(key);
  }

  #first(kind: Freeze['target']['kind'], name: string): string | undefined {
    return this.#byTarget.get(keyOf(kind, name))?.values().next().value;
  }
}

const keyOf = (kind: Freeze['target']['kind'], name: string): string => `${kind} ${name}`;
