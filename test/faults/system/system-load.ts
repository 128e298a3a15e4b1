import { ClusterLoad } from '../cluster-load.js';
import type { Violation } from '../history.js';
import type { Headers } from '../post.js';
import type { People } from '../race/people.js';
import { RaceLoad } from '../race/race-load.js';
import { CallLoad } from '../zombies/call-load.js';
import { RefusalLoad } from './refusal-load.js';

export interface SystemLoadOptions {
  readonly urls: readonly string[];
  readonly people: Pick<People, 'parties' | 'approvers'>;
  readonly random: () => number;
  /** Clients of each host that ask for turns. */
  readonly clientsPerHost: number;
  /** Clients that have tools called without a gate. */
  readonly callers: number;
  /** Sessions in which one gated call after the other is asked for and decided on by several people at once. */
  readonly lanes: number;
}

/** A session is used for so long, then left for a new one: its history is read with every turn. */
const ROUND_MS = 60_000;
const SESSIONS_PER_CALLER = 3;
const PATIENCE_MS = 8000;

/** Everything that people do, through all doors of all hosts: turns, calls, gated calls whose approvers race, and requests that are refused. */
export class SystemLoad {
  readonly turns: ClusterLoad;
  readonly calls: CallLoad;
  readonly race: RaceLoad;
  readonly refusals: RefusalLoad;
  readonly #stop = new AbortController();

  constructor({ urls, people, random, clientsPerHost, callers, lanes }: SystemLoadOptions) {
    const { parties, approvers } = people;
    const startedAt = performance.now();
    const callSessions = () => {
      const round = Math.floor((performance.now() - startedAt) / ROUND_MS);
      return Array.from({ length: callers * SESSIONS_PER_CALLER }, (_, i) => `call-${round}-${i}`);
    };
    const callerOf = (sessionId: string): Headers => parties[Number(/\d+$/.exec(sessionId)) % parties.length]!.headers;
    this.turns = new ClusterLoad({ urls, clientsPerHost, random, callers: parties });
    this.calls = new CallLoad({ urls: () => urls, clients: callers, sessions: callSessions, random, patienceMs: PATIENCE_MS, callerOf });
    this.race = new RaceLoad({ urls: () => urls, people, lanes, consents: Infinity, random, stop: this.#stop.signal });
    this.refusals = new RefusalLoad({ urls, random, stranger: approvers[0]!.headers, sessions: () => this.turns.sessions });
  }

  /** Resolves when the last answer has come. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.turns.stop(), this.calls.stop(), this.race.done(), this.refusals.stop()]);
  }

  get violations(): Violation[] {
    return [this.turns, this.calls, this.race, this.refusals].flatMap(({ violations }) => violations);
  }

  /** How often each answer came, by what was asked for. */
  get answers(): Record<string, number> {
    const named = { turn: this.turns.answers, call: this.calls.heard, consent: this.race.answers, refusal: this.refusals.answers };
    return Object.fromEntries(
      Object.entries(named).flatMap(([what, answers]) => Object.entries(answers).map(([answer, count]) => [`${what}: ${answer}`, count])),
    );
  }
}
