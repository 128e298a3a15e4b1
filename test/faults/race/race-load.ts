import { setTimeout as sleep } from 'node:timers/promises';
import { askAt, doors } from '../doors.js';
import type { Violation } from '../history.js';
import { nameOf, post, type Answer } from '../post.js';
import type { Heard } from './heard.js';
import type { People, Person } from './people.js';

export interface RaceLoadOptions {
  readonly urls: () => readonly string[];
  readonly people: Pick<People, 'parties' | 'approvers'>;
  /** Each has a session of its own, in which one call after the other is asked for and decided on. */
  readonly lanes: number;
  readonly consents: number;
  readonly random: () => number;
  /** No call is asked for any more once it is aborted. */
  readonly stop: AbortSignal;
}

const LIMIT_MS = 8000;
const AGAIN_MS = 300;
const ASK_TRIES = 200;
const DECIDE_TRIES = 100;
const CLOSED_IN = 0.15;
const APPROVED_IN = 0.8;
const RETRIED_IN = 0.3;

/** Nothing is known from these; whoever hears one asks again, at another host. */
const again = new Set([
  '0',
  '408',
  '404 ERR_NOT_FOUND',
  '409 ERR_CONCURRENT_RUN',
  '409 ERR_AWAITING_DECISION',
  '503 ERR_LEDGER_BEHIND',
  '503 ERR_LOG_UNAVAILABLE',
  '503 ERR_HOST_CLOSED',
  '503 ERR_IDENTITY_VERIFIER_UNAVAILABLE',
]);
/** The turn ended before it asked: the call is asked for anew, under another id. */
const ended = new Set(['409 ERR_TURN_ABANDONED', '500 failed before', '503 failed before', '500']);

interface Asked {
  readonly requestId: string;
  readonly sessionId: string;
  readonly party: Person;
}

/** A decision that somebody sends, or a close. */
interface Act extends Pick<Heard, 'way' | 'approved'> {
  readonly by: Person;
}

/** Asks for gated calls, and has two to five people decide on each at once through different hosts; some requests are closed meanwhile. */
export class RaceLoad {
  readonly heard: Heard[] = [];
  readonly answers: Record<string, number> = {};
  readonly violations: Violation[] = [];
  /** Requests on which nobody was told that they are settled. */
  unsettled = 0;
  asked = 0;
  readonly #options: RaceLoadOptions;
  readonly #lanes: Promise<unknown>;

  constructor(options: RaceLoadOptions) {
    this.#options = options;
    this.#lanes = Promise.all(Array.from({ length: options.lanes }, (_, lane) => this.#lane(lane)));
  }

  /** Resolves when every call was decided on, or the stop was heard by everybody. */
  async done(): Promise<void> {
    await this.#lanes;
  }

  async #lane(lane: number): Promise<void> {
    const { consents, people, stop } = this.#options;
    const party = people.parties[lane % people.parties.length]!;
    while (this.asked < consents && !stop.aborted) {
      const asked = await this.#ask(`race-${lane}`, party, `consent-${this.asked++}`);
      if (asked) await this.#race(asked);
    }
  }

  #url(path = ''): string {
    const urls = this.#options.urls();
    return urls[Math.floor(this.#options.random() * urls.length)]! + path;
  }

  /** Until the call waits for a decision. */
  async #ask(sessionId: string, party: Person, id: string): Promise<Asked | undefined> {
    let attempt = 1;
    for (let tries = 0; tries < ASK_TRIES && !this.#options.stop.aborted; tries++, await sleep(AGAIN_MS)) {
      const key = `${id}.${attempt}`;
      const body = { sessionId, input: `/call judge.pay ${JSON.stringify({ id: key })}` };
      const headers = { ...party.headers, 'idempotency-key': key };
      const answer = await askAt(this.#options.random() < 0.5 ? 'json' : 'stream', this.#url(), body, { headers, limitMs: LIMIT_MS });
      const name = this.#count(answer);
      if (answer.status === 202) return { requestId: (answer.body!.awaiting as { requestId: string }).requestId, sessionId, party };
      if (again.has(name)) continue;
      if (!ended.has(name)) this.#wrong('N9', `somebody who asked for a gated call was answered ${name}`, answer);
      attempt++;
    }
    return undefined;
  }

  async #race(asked: Asked): Promise<void> {
    const { random, people } = this.#options;
    const count = 2 + Math.floor(random() * 4);
    const others = [...people.approvers].sort(() => random() - 0.5);
    const deciders = [...(random() < 0.5 ? [asked.party] : []), ...others].slice(0, count);
    const acts = deciders.map((by): Act => {
      const approved = random() < APPROVED_IN;
      const way = by === asked.party && random() < 0.7 ? 'invoke' : 'api';
      return { by, approved, way };
    });
    const closing: Act[] = random() < CLOSED_IN ? [{ by: asked.party, way: 'close' }] : [];
    const settled = await Promise.all([...acts, ...closing].map((act) => this.#act(asked, act, random() * 40)));
    if (!settled.includes(true)) this.unsettled++;
    // Whoever asks again is told the same.
    await Promise.all(acts.filter(() => random() < RETRIED_IN).map((act) => this.#act(asked, act, 0)));
  }

  /** One person's act, again and again until somebody answers it. @returns whether the request was said to be settled */
  async #act(asked: Asked, act: Act, afterMs: number): Promise<boolean> {
    await sleep(afterMs);
    for (let tries = 0; tries < DECIDE_TRIES; tries++, await sleep(AGAIN_MS)) {
      const answer = await this.#send(asked, act);
      const name = this.#count(answer);
      const { reason, verdict } = (answer.body ?? {}) as { reason?: string; verdict?: string };
      const { way, approved, by } = act;
      const { requestId } = asked;
      this.heard.push({ requestId, by: by.userRef, way, approved, answer: name, ...(reason && { reason }), ...(verdict && { verdict }) });
      if (answer.status === 500 && name === '500') this.#wrong('N12', 'a decision was answered 500', answer);
      if (!again.has(name)) return answer.status === 200 || answer.code === 'ERR_RESUME_REFUSED';
    }
    return false;
  }

  #send({ requestId, sessionId }: Asked, { by, way, approved }: Act): Promise<Answer> {
    switch (way) {
      case 'invoke':
        return askAt(
          doors[Math.floor(this.#options.random() * doors.length)]!,
          this.#url(),
          { sessionId, decision: { requestId, approved } },
          { headers: by.headers, limitMs: LIMIT_MS },
        );
      case 'api':
        return post(this.#url(`/v1/consents/${requestId}/decision`), { approved }, LIMIT_MS, by.headers);
      case 'close':
        return post(this.#url(`/v1/consents/${requestId}/close`), {}, LIMIT_MS, by.headers);
    }
  }

  #count(answer: Answer): string {
    const name = nameOf(answer);
    const { reason } = (answer.body ?? {}) as { reason?: string };
    const told = reason === undefined ? name : `${name} ${reason}`;
    this.answers[told] = (this.answers[told] ?? 0) + 1;
    return name;
  }

  #wrong(rule: string, what: string, { text }: Answer): void {
    if (this.violations.length < 5) this.violations.push({ rule, what: `${what}: ${text.slice(0, 200)}` });
  }
}
