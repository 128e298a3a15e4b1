import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Acknowledged, Violation } from './history.js';

/** What a client is told within this is an answer; past it, it hangs. */
const CLIENT_LIMIT_MS = 60_000;
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
]);

export interface Answer {
  readonly status: number;
  readonly code?: string;
  readonly turnId?: string;
  /** `topic:partition:offset` of the completion. */
  readonly position?: string;
  readonly text: string;
  readonly ms: number;
}

/** Asks a host for one turn. Status 0: no whole answer came; `late` where it took longer than a client waits. */
export async function askHost(url: string, body: object, limitMs = CLIENT_LIMIT_MS): Promise<Answer> {
  const at = performance.now();
  try {
    const response = await fetch(`${url}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(limitMs),
    });
    const text = await response.text();
    return {
      status: response.status,
      code: codeIn(text),
      turnId: response.headers.get('x-turn-id') ?? undefined,
      position: response.headers.get('x-doorledger-position') ?? undefined,
      text,
      ms: performance.now() - at,
    };
  } catch (error) {
    const isLate = (error as { name?: string }).name === 'TimeoutError';
    return { status: 0, code: isLate ? 'late' : undefined, text: '', ms: performance.now() - at };
  }
}

function codeIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { code?: string }).code;
  } catch {
    return undefined;
  }
}

export interface ClusterLoadOptions {
  readonly urls: readonly string[];
  readonly clientsPerHost: number;
  readonly random: () => number;
  /** Told of each answer but 200s. */
  readonly onAnswer?: (url: string, answer: Answer) => void;
}

/** Clients of all hosts, in sessions that they share and in none. */
export class ClusterLoad {
  readonly acknowledged: Acknowledged[] = [];
  /** Sessions in which a turn was acknowledged. */
  readonly sessions = new Set<string>();
  /** How often each answer came: `200`, `503 ERR_LOG_UNAVAILABLE`, `0` for a connection that broke. */
  readonly answers: Record<string, number> = {};
  readonly violations: Violation[] = [];
  slowestMs = 0;
  readonly #options: ClusterLoadOptions;
  readonly #stop = new AbortController();
  readonly #clients: Promise<unknown>;
  #inSessions = 0;

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

  /** Takes an answer into the books. */
  see(url: string, answer: Answer, sessionId?: string): void {
    const { status, code, turnId, text, ms } = answer;
    const name = [status, code].filter((part) => part !== undefined).join(' ');
    const times = (this.answers[name] = (this.answers[name] ?? 0) + 1);
    this.slowestMs = Math.max(this.slowestMs, ms);
    if (status === 200) {
      this.acknowledged.push({ turnId: turnId! });
      if (sessionId) this.sessions.add(sessionId);
      return;
    }
    this.#options.onAnswer?.(url, answer);
    if (code === 'late') this.violations.push({ rule: 'D20', what: `a caller of ${url} heard nothing for ${Math.round(ms / 1000)} s` });
    else if (status !== 0 && !allowed.has(name) && times <= 3)
      this.violations.push({ rule: 'D22', what: `a caller of ${url} was answered ${name}: ${text.slice(0, 300)}` });
  }

  async #client(url: string): Promise<void> {
    const { random } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const sessionId = random() < 0.4 ? undefined : this.#nextSession();
      const answer = await askHost(url, { input: 'x'.repeat(1 + Math.floor(random() * 200)), ...(sessionId && { sessionId }) });
      this.see(url, answer, sessionId);
      const pause = answer.status === 200 ? random() * THINK_MS : 50 + random() * 2 * THINK_MS;
      await sleep(pause, undefined, { signal }).catch(() => {});
    }
  }

  #nextSession(): string {
    const group = Math.floor(this.#inSessions++ / (TURNS_PER_SESSION * SESSIONS_AT_ONCE));
    return `session-${group}-${Math.floor(this.#options.random() * SESSIONS_AT_ONCE)}`;
  }
}
