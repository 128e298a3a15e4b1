import { Groups } from './groups.js';
import { Line } from './line.js';
import type { ToolSession } from './tool-session.js';

/**
 * The tool sessions that are registered and not ended. Registering, touching and letting go take the same time however many
 * there are (T32).
 */
export class LiveSessions {
  /** By kind, then by isolation key. */
  readonly #byKey = new Map<string, Map<string, ToolSession>>();
  readonly #byId = new Map<string, ToolSession>();
  /** Without a call in flight, longest idle first. */
  readonly #idle = new Line('idleBefore', 'idleAfter');
  /** All of them, oldest first. */
  readonly #aged = new Line('ageBefore', 'ageAfter');
  /** Of scope `call`. */
  readonly byCall = new Groups();
  /** Of scopes `call` and `run`. */
  readonly byTurn = new Groups();
  readonly bySession = new Groups();
  readonly byPerson = new Groups();

  get count(): number {
    return this.#byId.size;
  }

  get longestIdle(): ToolSession | undefined {
    return this.#idle.first;
  }

  get oldest(): ToolSession | undefined {
    return this.#aged.first;
  }

  /** In order of registration. */
  all(): Iterable<ToolSession> {
    return this.#byId.values();
  }

  find(kind: string, key: string): ToolSession | undefined {
    return this.#byKey.get(kind)?.get(key);
  }

  withId(toolSessionId: string): ToolSession | undefined {
    return this.#byId.get(toolSessionId);
  }

  add(session: ToolSession): void {
    const { kind, key, person } = session;
    const sameKind = this.#byKey.get(kind);
    if (sameKind) sameKind.set(key, session);
    else this.#byKey.set(kind, new Map([[key, session]]));
    this.#byId.set(session.toolSessionId, session);
    this.#aged.insert(session, this.#aged.last);
    if (session.scope === 'call') this.byCall.add(session.callId, session);
    if (isOfTurn(session)) this.byTurn.add(session.turnId, session);
    if (session.sessionRef) this.bySession.add(session.sessionRef, session);
    if (person) this.byPerson.add(person, session);
  }

  remove(session: ToolSession): void {
    const { kind, key, person } = session;
    session.isEnded = true;
    const sameKind = this.#byKey.get(kind);
    sameKind?.delete(key);
    if (sameKind?.size === 0) this.#byKey.delete(kind);
    this.#byId.delete(session.toolSessionId);
    this.#aged.remove(session);
    this.#idle.remove(session);
    if (session.scope === 'call') this.byCall.remove(session.callId, session);
    if (isOfTurn(session)) this.byTurn.remove(session.turnId, session);
    if (session.sessionRef) this.bySession.remove(session.sessionRef, session);
    if (person) this.byPerson.remove(person, session);
  }

  /** A call in flight more: it is not idle. */
  enter(session: ToolSession): void {
    session.inFlight++;
    this.#idle.remove(session);
  }

  /** A call in flight less, at that reading of the clock; idle from then on if it was the last one (T30). */
  leave(session: ToolSession, at: number): void {
    session.inFlight--;
    if (session.inFlight > 0 || session.isEnded) return;
    session.touchedAt = at;
    let before = this.#idle.last;
    // Only those whose last call ended at this very moment can be passed: among them the oldest goes first (T31).
    while (before?.touchedAt === at && before.place > session.place) before = before.idleBefore;
    this.#idle.insert(session, before);
  }

  /** Of this person's, no more than the limit for one: the one that was let go of first, and the oldest of those. */
  longestIdleOf(person: string): ToolSession | undefined {
    let found: ToolSession | undefined;
    for (const session of this.byPerson.of(person)) {
      if (session.inFlight === 0 && (!found || session.touchedAt < found.touchedAt)) found = session;
    }
    return found;
  }
}

const isOfTurn = ({ scope }: ToolSession): boolean => scope === 'run' || scope === 'call';
