import type { LoggedRecord, RequestFound, RunFound } from './found-on-log.js';

/** A run that stands or waits. */
export interface Held extends RunFound {
  /** Fold time of its last standing record, ms. */
  alive: number;
  readonly key?: string;
  readonly claimedAt: number;
  /** It stepped, asked or sent: its idempotency key stays. */
  hasWorked: boolean;
  /** Minted, and waiting for the `turn.paused` right behind it. */
  opening?: RequestFound;
  /** Requests that it may spend. */
  readonly requests: Set<RequestFound>;
}

export interface Session {
  owner?: string | null;
  last: string | null;
  standing?: Held;
  waiting: Held[];
  paused?: RequestFound;
  isClosed: boolean;
  /** Idempotency keys of ended runs, by the log timestamp of their claim. */
  readonly keys: Map<string, number>;
}

/** A record at its place. */
export interface Point extends LoggedRecord {
  readonly session: Session;
  /** Fold time. */
  readonly now: number;
}

const KEY_MS = 24 * 3_600_000;

export const newSession = (): Session => ({ last: null, waiting: [], isClosed: false, keys: new Map() });

export const isKnownKey = (key: string, { keys }: Session, there: readonly Held[], timestamp: number): boolean =>
  there.some((run) => run.key === key) || timestamp - (keys.get(key) ?? -Infinity) < KEY_MS;

export const past = (date: number | undefined, timestamp: number): boolean => date !== undefined && timestamp > date;

/** A standing record of the run. */
export function sign(run: Held, { now, timestamp }: Point): Held {
  run.alive = now;
  run.signs.push(timestamp);
  return run;
}
