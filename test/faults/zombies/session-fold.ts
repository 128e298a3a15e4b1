import { FoldClock } from './fold-clock.js';
import { isKnownKey, newSession, past, sign, type Held, type Point, type Session } from './fold-session.js';
import type { AttemptFound, LoggedRecord, RecordData, RequestFound, RunFound } from './found-on-log.js';

const LEASE_MS = 30_000;
const MAX_WAITING = 16;

/**
 * Who stands, what was asked and spent, what was sent and how it ended: written a second time from the table of spec 6 and L1,
 * sharing nothing with the fold of the product. Takes the readable records of the session topic, each partition's in offset order,
 * and forgets nothing.
 */
export class SessionFold {
  /** By runId: every run that has stood. */
  readonly runs = new Map<string, RunFound>();
  readonly requests = new Map<string, RequestFound>();
  /** By callId, its standing dispatches in their order. */
  readonly calls = new Map<string, AttemptFound[]>();
  /** By turnId, where each turn of which a run has stood is: `running`, `paused`, `completed`, `failed`, `abandoned` or `closed`. */
  readonly turns = new Map<string, string>();
  readonly #sessions = new Map<string, Session>();
  readonly #clock = new FoldClock();

  /** Sessions that a run holds now. */
  get standing(): number {
    return [...this.#sessions.values()].filter(({ standing }) => standing !== undefined).length;
  }

  see(record: LoggedRecord): void {
    const session = this.#sessionOf(record.key);
    const point = { ...record, session, now: this.#clock.at(record) };
    const { data, type } = record;
    const opening = session.standing?.opening;
    if (opening && !(type === 'turn.paused' && data.runId === session.standing?.runId && data.requestId === opening.requestId))
      session.standing!.opening = undefined;
    this.#judge(point, data, session.standing?.runId === data.runId ? session.standing : undefined);
  }

  #judge(point: Point, data: RecordData, run: Held | undefined): void {
    const { session, type } = point;
    switch (type) {
      case 'turn.claimed':
        return this.#claimed(point, data);
      case 'turn.renewed':
        return this.#renewed(point, data);
      case 'turn.stepped':
        if (run) sign(run, point).hasWorked = true;
        return;
      case 'consent.minted':
        if (run) this.#minted(run, point, data);
        return;
      case 'turn.paused':
        if (run?.opening) this.#paused(run, run.opening, point);
        return;
      case 'consent.voted':
        if (session.paused?.requestId === data.requestId && !session.paused.votes.has(data.by))
          session.paused.votes.set(data.by, data.approved);
        return;
      case 'consent.spent':
        return this.#spent(point, data);
      case 'tool-call.dispatched':
        if (run) this.#dispatched(run, point, data);
        return;
      case 'tool-call.finished':
        return this.#finished(point, data);
      case 'tool-call.reconciled': {
        const attempt = this.#openAttempt(data);
        if (attempt) attempt.word = data.verdict;
        return;
      }
      case 'turn.completed':
      case 'turn.failed':
        if (!run) {
          if (type === 'turn.failed') session.waiting = session.waiting.filter(({ runId }) => runId !== data.runId);
          return;
        }
        this.#end(run, type === 'turn.completed' ? 'completed' : 'failed', point, data.errorName === 'GivenUp');
        return this.#moveQueue(point);
      case 'turn.lapsed':
        return this.#moveQueue(point);
      case 'session.closed':
        return this.#closed(point);
      default:
    }
  }

  #sessionOf(key: string): Session {
    let session = this.#sessions.get(key);
    if (!session) this.#sessions.set(key, (session = newSession()));
    return session;
  }

  #claimed(point: Point, data: RecordData): void {
    this.#moveQueue(point);
    const { session, now, key } = point;
    const { turnId, runId, hostId, signer = null, after, resumes, wait, idempotency } = data;
    const there = [...(session.standing ? [session.standing] : []), ...session.waiting];
    const isKnown = there.some((run) => run.runId === runId);
    const isRemembered = idempotency && isKnownKey(idempotency.key, session, there, point.timestamp);
    const fits = session.paused ? resumes === session.paused.requestId && turnId === session.paused.turnId : resumes === undefined;
    const isForeign = session.owner !== undefined && session.owner !== signer;
    if (session.isClosed || isForeign || isKnown || isRemembered || !fits || after !== session.last) return;
    const run: Held = {
      ...{ turnId, runId, hostId, session: key, signs: [point.timestamp], alive: now, claimedAt: point.timestamp, hasWorked: false },
      ...(resumes !== undefined && { resumes }),
      ...(idempotency && { key: idempotency.key }),
      requests: new Set(session.paused ? [session.paused] : []),
    };
    if (!session.standing && (session.waiting.length === 0 || resumes !== undefined)) {
      session.owner ??= signer;
      this.#stand(session, run);
    } else if (wait && resumes === undefined && session.waiting.length < MAX_WAITING) session.waiting.push(run);
  }

  #renewed(point: Point, { runId }: RecordData): void {
    const { session } = point;
    if (session.standing?.runId === runId) sign(session.standing, point);
    const waiting = session.waiting.find((run) => run.runId === runId);
    if (!waiting) return;
    sign(waiting, point);
    this.#moveQueue(point);
  }

  #minted(run: Held, point: Point, data: RecordData): void {
    const { session } = point;
    const { requestId, callId, grant, quorum, decideBy, spendBy } = data;
    if (this.requests.has(requestId) || (grant === undefined && session.paused)) return;
    const request: RequestFound = {
      ...{ requestId, callId, quorum, decideBy, spendBy, turnId: run.turnId, session: run.session, partition: point.partition },
      votes: new Map(),
    };
    sign(run, point).hasWorked = true;
    if (grant === undefined) {
      run.opening = request;
      return;
    }
    this.requests.set(requestId, request);
    run.requests.add(request);
  }

  #paused(run: Held, request: RequestFound, point: Point): void {
    const { session } = point;
    run.opening = undefined;
    this.requests.set(request.requestId, request);
    this.#end(run, 'paused', point);
    session.waiting = [];
    session.paused = request;
  }

  #spent(point: Point, { requestId, claimId, verdict, by }: RecordData): void {
    const { session, timestamp, offset } = point;
    const { standing } = session;
    const held = [...(standing?.requests ?? [])].find((one) => one.requestId === requestId);
    const request = session.paused?.requestId === requestId ? session.paused : held;
    if (!request || request.spent) return;
    const isPast = past(request.decideBy, timestamp) || past(request.spendBy, timestamp);
    if (verdict === 'expired' && !isPast) return;
    if (verdict === 'approved' || verdict === 'declined') {
      if (standing?.runId !== claimId || !held || isPast) return;
      const votes = [...request.votes.values()];
      if (verdict === 'approved' && request.quorum !== undefined && (votes.includes(false) || votes.length < request.quorum)) return;
    }
    request.spent = { verdict, claimId, by, offset };
    if (session.paused === request) {
      session.paused = undefined;
      if (!standing) this.turns.set(request.turnId, 'closed');
    }
    if (standing?.runId === claimId) sign(standing, point).hasWorked = true;
    if (!standing) this.#moveQueue(point);
  }

  #dispatched(run: Held, point: Point, { callId, attempt, requestId, notAfter }: RecordData): void {
    const { now, timestamp, partition, offset } = point;
    const before = this.calls.get(callId) ?? [];
    const isNext = attempt === before.length + 1 && (before.length === 0 || before.at(-1)!.end === 'not-sent');
    if (!isNext || now - run.alive > LEASE_MS || past(notAfter, timestamp)) return;
    if (requestId !== undefined) {
      const request = [...run.requests].find((one) => one.requestId === requestId && one.callId === callId);
      const { spent } = request ?? {};
      if (spent?.verdict !== 'approved' || spent.claimId !== run.runId || past(request?.spendBy, timestamp)) return;
    }
    this.calls.set(callId, [...before, { callId, attempt, runId: run.runId, requestId, partition, offset, timestamp }]);
    sign(run, point).hasWorked = true;
  }

  #finished(point: Point, data: RecordData): void {
    const attempt = this.#openAttempt(data);
    if (!attempt) return;
    attempt.end = data.outcome;
    attempt.endedAt = point.timestamp;
    const { standing } = point.session;
    if (standing?.runId === attempt.runId) sign(standing, point);
  }

  #openAttempt({ callId, attempt }: RecordData): AttemptFound | undefined {
    const found = this.calls.get(callId)?.[attempt - 1];
    return found && found.end === undefined && found.word === undefined ? found : undefined;
  }

  #closed(point: Point): void {
    const { session, offset } = point;
    if (session.isClosed) return;
    session.isClosed = true;
    session.waiting = [];
    if (session.paused) session.paused.spent = { verdict: 'closed', offset };
    if (session.paused && !session.standing) this.turns.set(session.paused.turnId, 'closed');
    session.paused = undefined;
    if (session.standing) this.#end(session.standing, 'closed', point);
  }

  #moveQueue(point: Point): void {
    const { session, now } = point;
    if (session.standing && now - session.standing.alive > LEASE_MS) this.#end(session.standing, 'lapsed', point);
    session.waiting = session.waiting.filter((run) => now - run.alive <= LEASE_MS);
    const next = session.standing || session.paused ? undefined : session.waiting.shift();
    if (next) this.#stand(session, next);
  }

  #stand(session: Session, run: Held): void {
    session.standing = run;
    session.last = run.runId;
    this.runs.set(run.runId, run);
    this.turns.set(run.turnId, 'running');
  }

  #end(run: Held, how: RunFound['how'], { session, offset }: Point, isGivenUp = false): void {
    run.how = how;
    session.standing = undefined;
    for (const request of run.requests) if (request !== session.paused) request.spent ??= { verdict: 'closed', offset };
    const isUnspentResume = run.resumes !== undefined && session.paused?.requestId === run.resumes;
    this.turns.set(run.turnId, isUnspentResume ? 'paused' : how === 'lapsed' ? 'abandoned' : how!);
    const isKept = !isGivenUp && !isUnspentResume && (run.hasWorked || how === 'completed' || how === 'paused');
    if (run.key !== undefined && isKept) session.keys.set(run.key, run.claimedAt);
  }
}
