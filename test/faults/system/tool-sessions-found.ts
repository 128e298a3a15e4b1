import type { Violation } from '../history.js';

/** What a record of the tool-session topic says. */
export interface ToolSessionRecord {
  /** The event's id: a copy has the same one. */
  readonly id: string;
  readonly type: string;
  readonly data: { readonly toolSessionId: string; readonly reason?: string };
}

interface Life {
  readonly starts: Set<string>;
  /** Of the first close. */
  closed?: string;
}

/** Starts and ends of tool sessions, each partition's records in offset order: one start each, and of its closes the first stands (T40). */
export class ToolSessionsFound {
  readonly #lives = new Map<string, Life>();
  readonly #violations: Violation[] = [];

  see({ id, type, data: { toolSessionId, reason } }: ToolSessionRecord): void {
    let life = this.#lives.get(toolSessionId);
    if (!life) this.#lives.set(toolSessionId, (life = { starts: new Set() }));
    if (type === 'tool-session.started') life.starts.add(id);
    else if (life.starts.size === 0) this.#violations.push({ rule: 'V2', what: `${type} of ${toolSessionId}, which was not started` });
    if (type === 'tool-session.closed' || type === 'tool-session.close-failed') life.closed ??= reason;
  }

  /** @param closeReasons by toolSessionId, what the ledger calls the reason of the one close that stands; null while there is none */
  judge(closeReasons: ReadonlyMap<string, string | null>): Violation[] {
    const found = [...this.#violations];
    for (const [toolSessionId, { starts, closed }] of this.#lives) {
      if (starts.size > 1) found.push({ rule: 'V2', what: `tool session ${toolSessionId} was started ${starts.size} times` });
      const inLedger = closeReasons.get(toolSessionId);
      if (inLedger !== (closed ?? null))
        found.push({
          rule: 'T40',
          what: `tool session ${toolSessionId} is ${closed ?? 'open'} by the log and ${inLedger ?? 'not'} in the ledger`,
        });
    }
    for (const toolSessionId of closeReasons.keys())
      if (!this.#lives.has(toolSessionId)) found.push({ rule: 'T40', what: `tool session ${toolSessionId} is in the ledger only` });
    return found;
  }
}
