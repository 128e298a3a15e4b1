import type { SessionState } from '../state.js';
import type { Verdict } from '../verdict.js';
import type { Memory } from './memory.js';
import type { Entry, Flight, ModelRecord, Task } from './world.js';

/** A class in capitals, then the case. The first one stays. */
export const violated = (m: Memory, violation: string): Memory => (m.violation ? m : { ...m, violation });
const add = (list: readonly string[], item: string): readonly string[] => (list.includes(item) ? list : [...list, item]);

/** Judges one record at its place on the log by the states around it. */
export function judgeLanding(memory: Memory, before: SessionState, entry: Pick<Entry, 'record' | 'folded' | 'isPast'>): Memory {
  const { state: after, verdict } = entry.folded;
  let m = judgeRuns(memory, before, after);
  m = judgeUnreadable(m, before, entry.record);
  if (verdict.stands) m = judgeStanding(m, before, entry.record, entry.isPast);
  m = rememberKey(m, entry.record, verdict);
  return after.isClosed && (after.run || after.paused || after.waiting.length)
    ? violated(m, 'CLOSED session still waits for something')
    : m;
}

function judgeRuns(memory: Memory, before: SessionState, after: SessionState): Memory {
  let m = memory;
  const queue = after.waiting.map((w) => w.runId);
  const standing = after.run?.runId;
  if (new Set(queue).size < queue.length || (standing && queue.includes(standing)))
    m = violated(m, `DUP-QUEUE ${queue.join()} wait while ${standing} stands`);
  const ended = before.run;
  if (!ended || ended.runId === standing)
    return standing && m.endedRuns.includes(standing) ? violated(m, `ZOMBIE ${standing} stands again`) : m;
  m = { ...m, endedRuns: add(m.endedRuns, ended.runId) };
  for (const r of ended.requests) if (r.isGranted && r.spent === undefined && !m.settled[r.requestId]) m = settle(m, r.requestId, 'closed');
  return standing && m.endedRuns.includes(standing) ? violated(m, `ZOMBIE ${standing} stands again`) : m;
}

function judgeUnreadable(m: Memory, before: SessionState, { type, frozen, subject }: ModelRecord): Memory {
  if (frozen || type !== 'consent.spent' || !subject) return m;
  const isPending =
    before.paused?.requestId === subject || before.run?.requests.some((r) => r.requestId === subject && r.spent === undefined);
  return isPending ? settle(m, subject, 'unknown') : m;
}

function settle(m: Memory, requestId: string, how: string): Memory {
  const earlier = m.settled[requestId];
  if (earlier !== undefined) return violated(m, `SPEND-CHANGED ${requestId} is ${how} after it was ${earlier}`);
  return { ...m, settled: { ...m.settled, [requestId]: how } };
}

function judgeStanding(memory: Memory, before: SessionState, { frozen }: ModelRecord, isPast: boolean): Memory {
  if (!frozen) return memory;
  const m = rememberWork(memory, frozen.type === 'consent.spent' ? frozen.claimId : 'runId' in frozen ? frozen.runId : '', frozen.type);
  switch (frozen.type) {
    case 'consent.minted':
      return m.minted.includes(frozen.requestId)
        ? violated(m, `MINTED-TWICE ${frozen.requestId}`)
        : { ...m, minted: [...m.minted, frozen.requestId] };
    case 'consent.voted':
      return frozen.approved ? m : { ...m, vetoed: add(m.vetoed, frozen.requestId) };
    case 'consent.spent': {
      const { requestId, claimId, verdict } = frozen;
      const isRuns = verdict === 'approved' || verdict === 'declined';
      const standing = before.run?.runId;
      if (isRuns && claimId !== standing) return violated(m, `SPEND-RUN ${verdict} by ${claimId} stands while ${standing} does`);
      if (verdict === 'approved' && isPast) return violated(m, `EXPIRED ${requestId} approved past its date`);
      if (verdict === 'approved' && m.vetoed.includes(requestId))
        return violated(m, `VETO ${requestId} approved over a standing disapproving vote`);
      return settle(m, requestId, isRuns ? `${verdict} by ${claimId}` : verdict);
    }
    case 'tool-call.dispatched': {
      const name = `${frozen.callId}#${frozen.attempt}`;
      return m.dispatched.includes(name) ? violated(m, `DISPATCHED-TWICE ${name}`) : { ...m, dispatched: [...m.dispatched, name] };
    }
    case 'tool-call.finished': {
      if (frozen.outcome !== 'not-sent') return m;
      const name = `${frozen.callId}#${frozen.attempt}`;
      return m.sent.includes(name) ? violated(m, `NOT-SENT recorded of ${name}, which was sent`) : { ...m, notSent: add(m.notSent, name) };
    }
    case 'session.closed': {
      const open = m.minted.filter((q) => m.settled[q] === undefined);
      return open.reduce((all, q) => settle(all, q, 'closed'), m);
    }
    default:
      return m;
  }
}

const isWork = new Set(['turn.stepped', 'tool-call.dispatched', 'turn.paused', 'consent.minted', 'consent.spent', 'turn.completed']);

function rememberWork(m: Memory, runId: string, type: string): Memory {
  const keyed = m.keyed[runId];
  if (!keyed || !isWork.has(type)) return m;
  const turns = add(m.worked[keyed.key] ?? [], keyed.turnId);
  const next = { ...m, worked: { ...m.worked, [keyed.key]: turns } };
  return turns.length > 1 ? violated(next, `IDEMPOTENCY ${turns.join(' and ')} both did work under ${keyed.key}`) : next;
}

function rememberKey(m: Memory, { frozen }: ModelRecord, verdict: Verdict): Memory {
  if (frozen?.type !== 'turn.claimed' || !frozen.idempotency || !(verdict.stands || verdict.waits)) return m;
  return { ...m, keyed: { ...m.keyed, [frozen.runId]: { key: frozen.idempotency.key, turnId: frozen.turnId } } };
}

/** Judges a call at the moment it goes out. `excuse`: why a run that no longer holds the session may still send (L2). */
export function judgeSend(memory: Memory, head: SessionState, task: Task, flight: readonly Flight[], excuse: boolean): Memory {
  const name = `${task.callId}#${task.attempt}`;
  const m: Memory = { ...memory, sent: [...memory.sent, name] };
  const twice = memory.sent.find((s) => s.startsWith(`${task.callId}#`));
  if (twice) return violated(m, `SENT-TWICE ${name} after ${twice}`);
  if (memory.notSent.includes(name) || flight.some((f) => f.records.some((r) => r.event.startsWith(`not-sent ${name}`))))
    return violated(m, `SENT ${name}, recorded as not sent`);
  if (task.gatedBy && memory.settled[task.gatedBy] !== `approved by ${task.runId}`)
    return violated(m, `GATED-SEND ${name} while ${task.gatedBy} is ${memory.settled[task.gatedBy]}`);
  return excuse || head.isClosed || head.run?.runId === task.runId
    ? m
    : violated(m, `LATE-SEND ${name} by ${task.runId} while ${head.run?.runId} stands`);
}
