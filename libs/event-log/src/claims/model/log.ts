import { pendingRequest } from '../spend.js';
import type { SessionState, WaitingRun } from '../state.js';
import { append, recordOf } from './append.js';
import { HostModel } from './host.js';
import { judgeLanding, violated } from './judge.js';
import { headOf, OLDEST, viewOf, type Model, type ModelRecord, type World } from './world.js';

const position = { partition: 0, offset: 0 };

/** A flight lands: its records are on the log, one behind the other. */
export function land({ fold }: Model, w: World, flight: number): void {
  for (const record of w.flight.splice(flight, 1)[0]!.records) {
    const before = headOf(w);
    const { T, isPast } = w;
    const folded = fold(before, { position, ...record }, { T, timestamp: isPast ? 2_000 : 0 }, 0);
    const entry = { record, T, isPast, late: 0, folded: { ...folded, state: sinceNow(folded.state, T) } };
    w.memory = judgeLanding(w.memory, before, entry);
    w.log.push(entry);
    w.T = 0;
  }
}

/** The same state with T at 0: leases depend on differences only, and past OLDEST all are alike. */
function sinceNow(state: SessionState, T: number): SessionState {
  if (T === 0) return state;
  const moved = <R extends WaitingRun>(run: R): R => ({ ...run, leaseFrom: Math.max(run.leaseFrom - T, -OLDEST) });
  return { ...state, waiting: state.waiting.map(moved), ...(state.run && { run: moved(state.run) }) };
}

/** A host meets the next record of the log by its own fold, and acts on what it awaited. */
export function deliver(model: Model, w: World, host: number, isFrozen = false): void {
  const h = w.hosts[host]!;
  const entry = w.log[h.seen]!;
  const { record, folded } = entry;
  const own = model.fold(viewOf(w, host), { position, ...record }, { T: entry.T, timestamp: entry.isPast ? 2_000 : 0 }, entry.late);
  if (own.verdict.stands !== folded.verdict.stands || own.state.run?.runId !== folded.state.run?.runId)
    w.memory = violated(w.memory, `DISAGREE h${host} reads ${record.event} otherwise than the log`);
  h.seen++;
  const { stands, waits } = folded.verdict;
  const actor = new HostModel(model, w, host);
  const awaiting = h.tasks.find((t) => t.event === record.event);
  for (const task of [...h.tasks]) {
    if (task === awaiting) actor.meet(task, folded.verdict, isFrozen);
    else if (task.stage === 'queued' || task.stage === 'deciding') actor.look(task);
  }
  if (!awaiting && (stands || waits)) undoGivenUp(w, host, record.event);
  h.booting = h.booting.filter((e) => e !== record.event);
}

function undoGivenUp(w: World, host: number, event: string): void {
  const given = w.hosts[host]!.givenUp.find((g) => g.event === event);
  if (!given) return;
  const { runId, callId, attempt } = given;
  if (callId && attempt) {
    const finished = { type: 'tool-call.finished', callId, attempt, runId, outcome: 'not-sent' } as const;
    append(w, host, [recordOf(`not-sent ${callId}#${attempt} undone`, finished)]);
  } else append(w, host, [recordOf(`fail ${runId} undone`, { type: 'turn.failed', runId, errorName: 'GivenUp' })]);
}

/** What a host has no interest in it meets at once; what everybody has met joins the base. */
export function settleViews(model: Model, w: World): void {
  w.hosts.forEach((h, host) => {
    while (h.isUp && h.seen < w.log.length && !isOfInterest(w, host, w.log[h.seen]!.record)) deliver(model, w, host);
  });
  const met = Math.min(w.log.length, ...w.hosts.filter((h) => h.isUp).map((h) => h.seen));
  if (met > 0) {
    w.base = w.log[met - 1]!.folded.state;
    w.log = w.log.slice(met);
  }
  for (const h of w.hosts) h.seen = h.isUp ? h.seen - met : w.log.length;
}

function isOfInterest(w: World, host: number, { event }: ModelRecord): boolean {
  const { tasks, givenUp, booting } = w.hosts[host]!;
  return (
    tasks.some((t) => t.event === event || t.stage === 'queued' || t.stage === 'deciding') ||
    givenUp.some((g) => g.event === event) ||
    booting.includes(event)
  );
}

/** Everything a caller could still want of a session at rest; an empty list when it can be had. */
export function complaints({ fold }: Model, w: World): string[] {
  const head = headOf(w);
  const found: string[] = [];
  if (head.isClosed) return found;
  const judge = (frozen: Parameters<typeof recordOf>[1]) =>
    fold(head, { position, type: frozen.type, frozen }, { T: 0, timestamp: w.isPast ? 2_000 : 0 }, 0).verdict.stands;
  for (const requestId of w.memory.minted) {
    if (w.memory.settled[requestId] !== undefined) continue;
    if (!pendingRequest(head, requestId) || !judge({ type: 'consent.spent', requestId, claimId: 'probe', verdict: 'closed' }))
      found.push(`UNSETTLEABLE ${requestId}`);
  }
  const { paused, lastRunId } = head;
  const resume = paused && { resumes: paused.requestId, turnId: paused.turnId };
  if (!judge({ type: 'turn.claimed', turnId: 'probe', runId: 'probe', hostId: 'h', bootId: 'b', after: lastRunId, ...resume }))
    found.push('UNSERVABLE no claim can stand');
  for (const { key } of head.keys)
    if (!w.memory.worked[key]) found.push(`KEY-BURNT ${key} is remembered, and nobody did anything under it`);
  return found;
}
