import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { askAt, doors } from '../doors.js';
import type { Violation } from '../history.js';
import { nameOf, type Answer, type Headers } from '../post.js';

export interface CallLoadOptions {
  readonly urls: () => readonly string[];
  readonly clients: number;
  /** Sessions that are asked in now. */
  readonly sessions: () => readonly string[];
  readonly random: () => number;
  /** A client that is not a patient one turns to another host after so many ms. */
  readonly patienceMs: number;
  /** Who asks in a session; nobody in particular by default. */
  readonly callerOf?: (sessionId: string) => Headers;
}

const PATIENT_MS = 90_000;
const AGAIN_MS = 300;
const LONGEST_CALL_MS = 1200;
const TRIES = 60;

/** What a client may hear while hosts are stopped or killed, and what it does then. */
const answers: Readonly<Record<string, 'again' | 'over'>> = {
  '0': 'again',
  '409 ERR_CONCURRENT_RUN': 'again',
  '503 ERR_LEDGER_BEHIND': 'again',
  '503 ERR_LOG_UNAVAILABLE': 'again',
  '503 ERR_HOST_CLOSED': 'again',
  '503 ERR_IDENTITY_VERIFIER_UNAVAILABLE': 'again',
  '409 ERR_TURN_ABANDONED': 'over',
  '500 failed before': 'over',
  '503 failed before': 'over',
  '200': 'over',
};

/** Clients that have tools called, in sessions that they share, and turn to another host where one does not answer. */
export class CallLoad {
  readonly heard: Record<string, number> = {};
  /** Ids of which a client was told that the tool noted them. */
  readonly noted = new Set<string>();
  readonly violations: Violation[] = [];
  readonly #options: CallLoadOptions;
  readonly #stop = new AbortController();
  readonly #clients: Promise<unknown>;
  readonly #bursts: Promise<unknown>[] = [];
  #asked = 0;

  constructor(options: CallLoadOptions) {
    this.#options = options;
    setMaxListeners(0, this.#stop.signal);
    this.#clients = Promise.all(Array.from({ length: options.clients }, (_, i) => this.#client(i)));
  }

  get asked(): number {
    return this.#asked;
  }

  /** So many clients more ask one host at once, each in another session. */
  burst(url: string, clients: number): void {
    const { random, sessions } = this.#options;
    const first = this.#options.urls().indexOf(url);
    const now = [...sessions()].sort(() => random() - 0.5).slice(0, clients);
    this.#bursts.push(...now.map((session, i) => this.#ask(session, this.#patienceOf(i), first)));
  }

  /** Resolves when the last answer has come. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#clients, ...this.#bursts]);
  }

  async #client(number: number): Promise<void> {
    const { random, sessions } = this.#options;
    while (!this.#stop.signal.aborted) {
      const now = sessions();
      await this.#ask(now[Math.floor(random() * now.length)]!, this.#patienceOf(number));
      await sleep(random() * 100);
    }
  }

  /** Some wait for long: a host that wakes finds them there. */
  #patienceOf(client: number): number {
    return client % 3 === 0 ? PATIENT_MS : this.#options.patienceMs;
  }

  /** One message, under one key, until somebody answers it for good. */
  async #ask(sessionId: string, limitMs: number, first?: number): Promise<void> {
    const { random, urls, callerOf = () => ({}) } = this.#options;
    const key = `${sessionId}.${this.#asked++}`;
    const ids = random() < 0.3 ? [`${key}.a`, `${key}.b`] : [key];
    const call = (id: string) =>
      random() < 0.6
        ? `/call judge.note ${JSON.stringify({ id })}`
        : `/call judge.slow ${JSON.stringify({ id, ms: Math.floor(random() * LONGEST_CALL_MS) })}`;
    const body = { sessionId, input: ids.map(call).join('\n') };
    let host = first ?? Math.floor(random() * urls().length);
    const door = doors[Math.floor(random() * doors.length)]!;
    const headers = { ...callerOf(sessionId), ...(door !== 'conversation' && { 'idempotency-key': key }) };
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await askAt(door, urls()[host]!, body, { headers, limitMs });
      if (this.#hear(answer) === 'over') return this.#note(ids, answer.text);
      // Without a key nobody may ask again: it would be another call.
      if (this.#stop.signal.aborted || door === 'conversation') return;
      // Some give up: whoever writes to the session next does so under another key, and may take it over.
      if (random() < 0.1) return;
      host = (host + 1) % urls().length;
      await sleep(AGAIN_MS);
    }
  }

  #hear(answer: Answer): 'again' | 'over' {
    const name = nameOf(answer);
    const times = (this.heard[name] = (this.heard[name] ?? 0) + 1);
    const then = answers[name];
    if (then === undefined && times <= 3)
      this.violations.push({ rule: 'D22', what: `a caller was answered ${name}: ${answer.text.slice(0, 300)}` });
    return then ?? 'over';
  }

  #note(ids: readonly string[], text: string): void {
    const said = new Set([...text.matchAll(/noted ([\w.-]+)/g)].map(([, id]) => id));
    for (const id of ids) if (said.has(id)) this.noted.add(id);
  }
}

/** Nobody is told of a call that was not received. */
export function neverReceived(noted: ReadonlySet<string>, received: readonly { readonly id: string }[]): Violation[] {
  const came = new Set(received.map(({ id }) => id));
  return [...noted].flatMap((id) => (came.has(id) ? [] : [{ rule: 'L3', what: `${id} was answered and never received` }]));
}
