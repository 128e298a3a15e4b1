import type { DumpedRecord } from './second-reader.js';

/** Who holds a session or waits for it. */
interface Run {
  readonly runId: string;
  readonly turnId: string;
  /** Fold time of its last standing record, ms. */
  alive: number;
}

interface Session {
  last: string | null;
  standing?: Run;
  waiting: Run[];
}

interface Clock {
  epoch: number;
  timestamp: number;
  ms: number;
}

interface TurnData {
  readonly turnId: string;
  readonly runId: string;
  readonly after?: string | null;
  readonly wait?: boolean;
}

const LEASE_MS = 30_000;
const MAX_WAITING = 16;

/**
 * Who stands, for turns without signers, pauses and calls: written a second time from the table of spec 6 and from L1, and sharing
 * nothing with the fold of the product. Takes the records of the session topic, each partition's in offset order.
 */
export class SecondFold {
  readonly #clocks = new Map<number, Clock>();
  readonly #sessions = new Map<string, Session>();
  readonly #turns = new Map<string, string>();

  /** Where each turn of which a run has stood is. */
  get turns(): ReadonlyMap<string, string> {
    return this.#turns;
  }

  see({ partition, epoch, timestamp, key, value, headers }: DumpedRecord): void {
    const now = this.#timeAt(partition, epoch, timestamp);
    const session = this.#sessionOf(key);
    const data = (JSON.parse(value) as { data: TurnData }).data;
    switch (headers.ce_type) {
      case 'turn.claimed':
        return this.#claimed(session, data, now);
      case 'turn.renewed':
        return this.#renewed(session, data, now);
      case 'turn.stepped':
        if (session.standing?.runId === data.runId) session.standing.alive = now;
        return;
      case 'turn.completed':
        if (session.standing?.runId === data.runId) this.#end(session, 'completed', now);
        return;
      case 'turn.failed':
        if (session.standing?.runId === data.runId) this.#end(session, 'failed', now);
        else session.waiting = session.waiting.filter(({ runId }) => runId !== data.runId);
        return;
      case 'turn.lapsed':
        return this.#moveQueue(session, now);
      default:
        // No other kind has a say in who stands here.
        return;
    }
  }

  /** L1: T grows between neighbours of one leader epoch only, and never shrinks. */
  #timeAt(partition: number, epoch: number, timestamp: number): number {
    const clock = this.#clocks.get(partition) ?? { epoch: -1, timestamp: 0, ms: 0 };
    const passed = clock.epoch === epoch ? Math.max(0, timestamp - clock.timestamp) : 0;
    this.#clocks.set(partition, { epoch, timestamp, ms: clock.ms + passed });
    return clock.ms + passed;
  }

  #sessionOf(key: string): Session {
    let session = this.#sessions.get(key);
    if (!session) this.#sessions.set(key, (session = { last: null, waiting: [] }));
    return session;
  }

  #claimed(session: Session, { turnId, runId, after = null, wait }: TurnData, now: number): void {
    this.#moveQueue(session, now);
    const isKnown = session.standing?.runId === runId || session.waiting.some((run) => run.runId === runId);
    if (isKnown || after !== session.last) return;
    const run = { runId, turnId, alive: now };
    const isFree = session.standing === undefined && session.waiting.length === 0;
    if (isFree) this.#stand(session, run);
    else if (wait && session.waiting.length < MAX_WAITING) session.waiting.push(run);
  }

  #renewed(session: Session, { runId }: TurnData, now: number): void {
    if (session.standing?.runId === runId) session.standing.alive = now;
    const waiting = session.waiting.find((run) => run.runId === runId);
    if (!waiting) return;
    waiting.alive = now;
    this.#moveQueue(session, now);
  }

  #moveQueue(session: Session, now: number): void {
    if (session.standing && now - session.standing.alive > LEASE_MS) {
      this.#turns.set(session.standing.turnId, 'abandoned');
      session.standing = undefined;
    }
    session.waiting = session.waiting.filter((run) => now - run.alive <= LEASE_MS);
    const next = session.standing ? undefined : session.waiting.shift();
    if (next) this.#stand(session, next);
  }

  /** A run that stands from the queue keeps the time of its last sign. */
  #stand(session: Session, run: Run): void {
    session.standing = run;
    session.last = run.runId;
    this.#turns.set(run.turnId, 'running');
  }

  #end(session: Session, how: 'completed' | 'failed', now: number): void {
    this.#turns.set(session.standing!.turnId, how);
    session.standing = undefined;
    this.#moveQueue(session, now);
  }
}
