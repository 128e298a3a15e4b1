import type { Fact } from '@doorledger/contracts';
import { v7 as uuidv7 } from 'uuid';
import type { Ask, OpenAnswer, OpenAsk, RegisterAnswer, RegisterAsk, Start } from './asks.js';
import { scopes, type CallContext, type Scope } from './call-context.js';
import { processClock, type Clock } from './clock.js';
import { firedBy, type Firing } from './firing.js';
import { Groups } from './groups.js';
import { isolationKey, personKey, registrationKey } from './isolation-key.js';
import { endedMeanwhile, noKey, tierClosed, unknownScope, unreadableKey, type Refusal } from './refusal.js';
import { Registry } from './registry.js';
import { Teardown } from './teardown.js';
import { defaultTierLimits, type TierLimits } from './tier-limits.js';
import { ToolSession } from './tool-session.js';

export interface ToolSessionTierOptions {
  readonly hostId: string;
  readonly bootId: string;
  /** 12 hex of HMAC-SHA-256(deployment key, isolation key): the only trace of a key on the log (T3). */
  keyHash(key: string): string;
  /** Queues the fact; synchronous. */
  onFact(fact: Fact): void;
  /** For a log line; an error's text goes nowhere else (T41). */
  onTrouble?(sentence: string, error: unknown): void;
  readonly limits?: Partial<TierLimits>;
  readonly clock?: Clock;
}

interface Placed {
  readonly outcome: 'found' | 'new';
  readonly session: ToolSession;
}

const LABEL_CHARACTERS = 200;

/** The tool sessions of one host life. While there are none it runs no timer (T13). */
export class ToolSessionTier {
  readonly #options: ToolSessionTierOptions;
  readonly #registry: Registry;
  readonly #teardown: Teardown;
  /** What calls of tools in the host registered or touched: in use until the call settles. */
  readonly #inUse = new Groups();
  #isClosed = false;

  constructor(options: ToolSessionTierOptions) {
    this.#options = options;
    const limits = { ...defaultTierLimits, ...options.limits };
    const clock = options.clock ?? processClock;
    const teardown = new Teardown({
      bound: { ms: limits.cleanupMs, clock },
      onFact: (fact) => this.#tell(fact),
      onTrouble: (sentence, error) => this.#complain(sentence, error),
    });
    this.#teardown = teardown;
    this.#registry = new Registry({ limits, clock, onEnded: (session, reason) => teardown.begin(session, reason) });
  }

  get live(): number {
    return this.#registry.live.count;
  }

  /** Live tool sessions of each server that has any. */
  liveByServer(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { server } of this.#registry.live.all()) counts.set(server, (counts.get(server) ?? 0) + 1);
    return counts;
  }

  /** Live tool sessions opened under a session, or by a turn that has none: `liveToolSessions` of turn facts. */
  liveOf(sessionRefOrTurnId: string): number {
    const { bySession, byTurn } = this.#registry.live;
    return bySession.count(sessionRefOrTurnId) || byTurn.count(sessionRefOrTurnId);
  }

  /**
   * Opens the one resource of (scope, name, isolation key) or joins it; a start in flight is shared (T12). The call is in
   * flight until it is released. Rejects with the start's own error, and then the next call starts anew.
   */
  async open<R>(ask: OpenAsk, start: Start<R>): Promise<OpenAnswer<R>> {
    const placed = this.#place('server', ask, ask.scope, isolationKey(ask.scope, ask.context));
    if (placed.outcome === 'refused') return placed;
    const { session, outcome } = placed;
    this.#registry.enter(session);
    if (outcome === 'new') session.opening = this.#start(session, start);
    if (session.opening) await session.opening;
    if (session.isEnded) return endedMeanwhile;
    session.calls++;
    if (outcome === 'found') this.#tellReused(session, ask.context);
    const { toolSessionId, keyHash } = session;
    let isInFlight = true;
    return {
      outcome: outcome === 'new' ? 'started' : 'reused',
      toolSessionId,
      keyHash,
      calls: session.calls,
      resource: session.started!.resource as R,
      release: () => {
        if (isInFlight) this.#registry.leave(session);
        isInFlight = false;
      },
    };
  }

  /**
   * A tool in the host asks for a cleanup (T6, T11); it is in use until `call-end` is fired for its call. A repeat is a touch,
   * and the first cleanup stays (S2). Never throws.
   */
  register(ask: RegisterAsk): RegisterAnswer {
    try {
      const answer = this.#register(ask);
      return answer.outcome === 'refused' ? { ...answer, calls: 0 } : answer;
    } catch (error) {
      this.#complain(`What ${ask.server}.${ask.tool} registers could not be keyed.`, error);
      return { ...unreadableKey, calls: 0 };
    }
  }

  /** Ends what the event ends, each at most once, and answers how many these were (T10). `settled()` waits for them. */
  fire(firing: Firing): number {
    this.#registry.sweep();
    if (firing.kind === 'shutdown') this.#isClosed = true;
    if (firing.kind === 'call-end') for (const session of this.#inUse.take(firing.callId)) this.#registry.leave(session);
    const { reason, sessions } = firedBy(firing, this.#registry.live);
    if (sessions.length > 0) this.#registry.end(sessions, reason);
    return sessions.length;
  }

  /** The far side is gone, its handle is lost, or the log says closed (M4, M23, T40): it is given to no further call. */
  drop(toolSessionId: string, reason: 'upstream-gone' | 'handle-lost' | 'host-lost'): void {
    const session = this.#registry.live.withId(toolSessionId);
    if (session) this.#registry.end([session], reason);
  }

  /** When everything that was ended before, or while waiting, is closed or left to itself (T33). Never rejects. */
  settled(): Promise<void> {
    return this.#teardown.settled();
  }

  /** Ends all and opens none any more; waits within the bounds of one start and one cleanup. */
  async close(): Promise<void> {
    this.fire({ kind: 'shutdown' });
    await this.settled();
  }

  #register(ask: RegisterAsk): RegisterAnswer | Refusal {
    const { scope = 'run', context } = ask;
    if (!scopes.includes(scope)) return unknownScope;
    const placed = this.#place('host', ask, scope, registrationKey(scope, context, ask.key));
    if (placed.outcome === 'refused') return placed;
    const { session, outcome } = placed;
    session.calls++;
    if (this.#inUse.add(context.callId, session)) this.#registry.enter(session);
    const { keyHash } = session;
    if (outcome === 'found') {
      this.#tellReused(session, context);
      return { outcome: 'reused', keyHash, calls: session.calls };
    }
    session.started = { stop: ask.cleanup };
    this.#tell({ type: 'tool-session.started', data: session.opened() });
    return { outcome: 'started', keyHash, calls: session.calls };
  }

  /** The registration under this key, or a new one if there is room. */
  #place(kind: 'server' | 'host', ask: Ask, scope: Scope, key: string | undefined): Placed | Refusal {
    this.#registry.sweep();
    if (this.#isClosed) return tierClosed;
    if (key === undefined) return noKey(scope);
    const of = `${kind}/${scope}/${ask.name}`;
    const found = this.#registry.live.find(of, key);
    if (found) return { outcome: 'found', session: found };
    const { server, tool, label, context } = ask;
    const session = this.#registry.add({
      kind: of,
      key,
      toolSessionId: uuidv7(),
      keyHash: this.#options.keyHash(key),
      server,
      tool,
      scope,
      label: label?.slice(0, LABEL_CHARACTERS),
      host: this.#options,
      context,
      person: personOf(context),
    });
    return session instanceof ToolSession ? { outcome: 'new', session } : session;
  }

  async #start<R>(session: ToolSession, start: Start<R>): Promise<void> {
    try {
      session.started = await start({ toolSessionId: session.toolSessionId });
    } catch (error) {
      if (!session.isEnded) this.#registry.forget(session);
      throw error;
    } finally {
      session.opening = undefined;
    }
    this.#tell({ type: 'tool-session.started', data: session.opened() });
  }

  #tellReused(session: ToolSession, context: CallContext): void {
    this.#tell({ type: 'tool-session.reused', data: Object.assign(session.opened(context), { calls: session.calls }) });
  }

  #tell(fact: Fact): void {
    try {
      this.#options.onFact(fact);
    } catch (error) {
      this.#complain(`The fact ${fact.type} could not be queued.`, error);
    }
  }

  #complain(sentence: string, error: unknown): void {
    try {
      this.#options.onTrouble?.(sentence, error);
    } catch {
      // Nobody is left to be told, and a tool call does not fail for a log line.
    }
  }
}

/** Nobody, where callers cannot be told apart. */
const personOf = (context: CallContext): string | undefined => context.userRef ?? (context.principal ? personKey(context) : undefined);
