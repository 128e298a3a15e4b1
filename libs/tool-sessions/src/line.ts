import type { ToolSession } from './tool-session.js';

type Before = 'idleBefore' | 'ageBefore';
type After = 'idleAfter' | 'ageAfter';

/** A list whose links lie in its members: joining the end and leaving from anywhere take the same time however long it is. */
export class Line {
  #first?: ToolSession;
  #last?: ToolSession;

  constructor(
    private readonly before: Before,
    private readonly after: After,
  ) {}

  get first(): ToolSession | undefined {
    return this.#first;
  }

  get last(): ToolSession | undefined {
    return this.#last;
  }

  /** Puts one that is in no place of this list behind `neighbour`, or first. */
  insert(session: ToolSession, neighbour: ToolSession | undefined): void {
    const next = neighbour ? neighbour[this.after] : this.#first;
    session[this.before] = neighbour;
    session[this.after] = next;
    if (neighbour) neighbour[this.after] = session;
    else this.#first = session;
    if (next) next[this.before] = session;
    else this.#last = session;
  }

  /** Takes it out; one that is not in the list stays out. */
  remove(session: ToolSession): void {
    const [before, after] = [session[this.before], session[this.after]];
    if (before) before[this.after] = after;
    else if (this.#first === session) this.#first = after;
    else return;
    if (after) after[this.before] = before;
    else this.#last = before;
    session[this.before] = undefined;
    session[this.after] = undefined;
  }
}
