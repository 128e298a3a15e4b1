import type { ToolSession } from './tool-session.js';

const none: readonly ToolSession[] = [];

/** Which tool sessions belong to a name. Most names have one, and a set for each would weigh more than the session. */
export class Groups {
  readonly #members = new Map<string, ToolSession | Set<ToolSession>>();

  /** False if it was a member already. */
  add(name: string, session: ToolSession): boolean {
    const held = this.#members.get(name);
    if (held === session || (held instanceof Set && held.has(session))) return false;
    if (held === undefined) this.#members.set(name, session);
    else if (held instanceof Set) held.add(session);
    else this.#members.set(name, new Set([held, session]));
    return true;
  }

  remove(name: string, session: ToolSession): void {
    const held = this.#members.get(name);
    if (held instanceof Set) held.delete(session);
    if (held === session || (held instanceof Set && held.size === 0)) this.#members.delete(name);
  }

  /** In the order in which they were added. */
  of(name: string): Iterable<ToolSession> {
    const held = this.#members.get(name);
    if (held === undefined) return none;
    return held instanceof Set ? held : [held];
  }

  count(name: string): number {
    const held = this.#members.get(name);
    if (held === undefined) return 0;
    return held instanceof Set ? held.size : 1;
  }

  /** Forgets the name and answers who belonged to it. */
  take(name: string): Iterable<ToolSession> {
    const members = this.of(name);
    this.#members.delete(name);
    return members;
  }
}
