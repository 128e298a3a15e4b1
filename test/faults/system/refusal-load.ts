import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAt, doors } from '../doors.js';
import type { Violation } from '../history.js';
import { nameOf, post, type Answer, type Headers } from '../post.js';

export interface RefusalLoadOptions {
  readonly urls: readonly string[];
  readonly random: () => number;
  /** Somebody who may come in, but to none of the sessions below. */
  readonly stranger: Headers;
  /** Sessions that are somebody's. */
  readonly sessions: () => ReadonlySet<string>;
}

const LIMIT_MS = 60_000;
const THINK_MS = 250;
/** Of requests that a door decides at once. */
const away = new Set([
  '0',
  '503 ERR_LOG_UNAVAILABLE',
  '503 ERR_LEDGER_BEHIND',
  '503 ERR_HOST_CLOSED',
  '503 ERR_IDENTITY_VERIFIER_UNAVAILABLE',
]);

interface Refused {
  readonly rule: string;
  readonly wanted: string;
  ask(url: string, options: RefusalLoadOptions): Promise<Answer> | undefined;
}

const kinds: readonly Refused[] = [
  {
    rule: 'I3',
    wanted: '401',
    ask: (url, { random }) => askAt(doors[Math.floor(random() * doors.length)]!, url, { input: 'x' }, { limitMs: LIMIT_MS }),
  },
  {
    rule: 'O2',
    wanted: '404',
    ask: (url, { random, sessions, stranger }) => {
      const all = [...sessions()];
      const sessionId = all[Math.floor(random() * all.length)];
      if (sessionId === undefined) return undefined;
      return askAt(
        doors[Math.floor(random() * doors.length)]!,
        url,
        { input: 'mine', sessionId },
        { headers: stranger, limitMs: LIMIT_MS },
      );
    },
  },
  {
    rule: 'D12',
    wanted: '400',
    ask: (url, { stranger }) => post(`${url}/invoke`, { input: 'x', sessionId: 'a\u0000b' }, LIMIT_MS, stranger),
  },
  { rule: 'D15', wanted: '400', ask: (url, { stranger }) => post(`${url}/invoke`, { op: 'fly' }, LIMIT_MS, stranger) },
  {
    rule: 'G2',
    wanted: '415',
    ask: (url, { stranger }) => post(`${url}/invoke`, {}, LIMIT_MS, { ...stranger, 'content-type': 'text/plain' }),
  },
  { rule: 'D4', wanted: '404', ask: (url, { stranger }) => post(`${url}/nowhere`, {}, LIMIT_MS, stranger) },
];

/** One client of each host that asks for what is never granted: whatever is away, nobody is let in. */
export class RefusalLoad {
  readonly answers: Record<string, number> = {};
  readonly violations: Violation[] = [];
  readonly #stop = new AbortController();
  readonly #clients: Promise<unknown>;

  constructor(private readonly options: RefusalLoadOptions) {
    setMaxListeners(0, this.#stop.signal);
    this.#clients = Promise.all(options.urls.map((url) => this.#client(url)));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#clients;
  }

  async #client(url: string): Promise<void> {
    const { signal } = this.#stop;
    for (let i = 0; !signal.aborted; i++) {
      const kind = kinds[i % kinds.length]!;
      const answer = await kind.ask(url, this.options);
      if (answer) this.#hear(kind, answer);
      await sleep(this.options.random() * THINK_MS, undefined, { signal }).catch(() => {});
    }
  }

  #hear({ rule, wanted }: Refused, answer: Answer): void {
    const name = nameOf(answer);
    this.answers[name] = (this.answers[name] ?? 0) + 1;
    if (String(answer.status) !== wanted && !away.has(name) && this.violations.length < 5)
      this.violations.push({ rule, what: `what is refused with ${wanted} was answered ${name}: ${answer.text.slice(0, 200)}` });
  }
}
