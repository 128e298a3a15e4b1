import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAt, doors, type Door } from './doors.js';
import type { Acknowledged, Violation } from './history.js';
import { nameOf, type Answer, type Headers } from './post.js';

/** What a client is told within this is an answer; past it, it hangs. */
const CLIENT_LIMIT_MS = 120_000;
/** Between two requests of a client, at most: the log has to be read to its end more than once afterwards. */
const THINK_MS = 150;
/** A session is used by all clients for so many turns, then left for new ones: its history is read with every turn. */
const TURNS_PER_SESSION = 40;
const SESSIONS_AT_ONCE = 24;

/** The answers a caller may get while parts of the system are away, by status and code. */
const allowed = new Set([
  '200',
  '409 ERR_CONCURRENT_RUN',
  '409 ERR_TURN_ABANDONED',
  '503 ERR_LOG_UNAVAILABLE',
  '503 ERR_LEDGER_BEHIND',
  '503 ERR_HOST_CLOSED',
  '503 ERR_IDENTITY_VERIFIER_UNAVAILABLE',
]);

export interface ClusterLoadOptions {
  readonly urls: readonly string[];
  readonly clientsPerHost: number;
  readonly random: () => number;
  /** Each has some of the sessions; nobody in particular by default. */
  readonly callers?: readonly { readonly headers: Headers }[];
}

/** Clients of all hosts, in sessions that they share and in none. */
export class ClusterLoad {
  readonly acknowledged: Acknowledged[] = [];
  /** Sessions in which a turn was acknowledged. */
  readonly sessions = new Set<string>();
  /** What was answered in a session by a conversation, which names no turn. */
  readonly conversed: { readonly sessionId: string; readonly input: string }[] = [];
  /** How often each answer came: `200`, `503 ERR_LOG_UNAVAILABLE`, `0` for a connection that broke. */
  readonly answers: Record<string, number> = {};
  readonly violations: Violation[] = [];
  slowestMs = 0;
  readonly #options: ClusterLoadOptions;
  readonly #stop = new AbortController();
  readonly #clients: Promise<unknown>;
  #inSessions = 0;
  #asked = 0;

  constructor(options: ClusterLoadOptions) {
    this.#options = options;
    const { urls, clientsPerHost } = options;
    setMaxListeners(0, this.#stop.signal);
    this.#clients = Promise.all(urls.flatMap((url) => Array.from({ length: clientsPerHost }, () => this.#client(url))));
  }

  /** Resolves when the last answer has come. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#clients;
  }

  /** Whoever asks in a session always. */
  callerOf(sessionId?: string): Headers {
    const { callers, random } = this.#options;
    if (!callers) return {};
    const number = sessionId === undefined ? Math.floor(random() * callers.length) : Number(/\d+$/.exec(sessionId));
    return callers[number % callers.length]!.headers;
  }

  /** Asks for a turn, and takes the answer into the books. */
  async ask(url: string, input: string, sessionId?: string, door: Door = 'json'): Promise<Answer> {
    const body = { input, ...(sessionId && { sessionId }) };
    const answer = await askAt(door, url, body, { headers: this.callerOf(sessionId), limitMs: CLIENT_LIMIT_MS });
    this.#see(url, answer, sessionId);
    if (answer.status === 200 && sessionId && door === 'conversation') this.conversed.push({ sessionId, input });
    return answer;
  }

  #see(url: string, answer: Answer, sessionId?: string): void {
    const { status, code, turnId, text, ms } = answer;
    const name = nameOf(answer);
    const times = (this.answers[name] = (this.answers[name] ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (status === 200) {
      if (turnId !== undefined) this.acknowledged.push({ turnId });
      if (sessionId) this.sessions.add(sessionId);
      return;
    }
    if (code === 'late') this.violations.push({ rule: 'D20', what: `a caller of ${url} heard nothing for ${Math.round(ms / 1000)} s` });
    else if (status !== 0 && !allowed.has(name) && times <= 3)
      this.violations.push({ rule: 'D22', what: `a caller of ${url} was answered ${name}: ${text.slice(0, 300)}` });
  }

  async #client(url: string): Promise<void> {
    const { random } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const sessionId = random() < 0.4 ? undefined : this.#nextSession();
      const input = `${this.#asked++} ${'x'.repeat(1 + Math.floor(random() * 200))}`;
      const door = doors[Math.floor(random() * doors.length)]!;
      const answer = await this.ask(url, input, sessionId, door);
      const pause = answer.status === 200 ? random() * THINK_MS : 50 + random() * 2 * THINK_MS;
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  #nextSession(): string {
    const group = Math.floor(this.#inSessions++ / (TURNS_PER_SESSION * SESSIONS_AT_ONCE));
    return `session-${group}-${Math.floor(this.#options.random() * SESSIONS_AT_ONCE)}`;
  }
}
