import type { AnyFactEvent } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import type { HostLife } from './host-life.js';

/** A live tool session that belongs to a session, by its reference. */
export type HeldToolSession = HostLife & { readonly toolSessionId: string; readonly sessionRef: string };

/** Which lives of hosts hold live tool sessions of a session, as the log says: the ledger's word, and what the tail meets after it. */
export class Holders {
  /** Per session, by tool session, the one that was used last at the end. */
  readonly #held = new Map<string, Map<string, HostLife>>();

  /** `known`: the one that was used last at the end. */
  constructor(known: readonly HeldToolSession[]) {
    for (const one of known) this.#use(one);
  }

  apply({ records }: RecordBatch): void {
    for (const { decoded } of records) {
      const event = decoded.body as AnyFactEvent | undefined;
      switch (event?.type) {
        case 'tool-session.started':
        case 'tool-session.reused': {
          const { sessionRef, ...opened } = event.data;
          if (sessionRef !== undefined) this.#use({ ...opened, sessionRef });
          break;
        }
        case 'tool-session.closed':
        case 'tool-session.close-failed':
          this.#close(event.data);
          break;
        default:
      }
    }
  }

  /** Newest use first: where the last run of the session worked. */
  of(sessionRef: string): HostLife[] {
    return [...(this.#held.get(sessionRef)?.values() ?? [])].reverse();
  }

  #use({ sessionRef, toolSessionId, hostId, bootId }: HeldToolSession): void {
    const held = this.#held.get(sessionRef) ?? new Map<string, HostLife>();
    this.#held.set(sessionRef, held);
    held.delete(toolSessionId);
    held.set(toolSessionId, { hostId, bootId });
  }

  #close({ sessionRef, toolSessionId }: { readonly sessionRef?: string; readonly toolSessionId: string }): void {
    const held = sessionRef === undefined ? undefined : this.#held.get(sessionRef);
    if (held?.delete(toolSessionId) && held.size === 0) this.#held.delete(sessionRef!);
  }
}
