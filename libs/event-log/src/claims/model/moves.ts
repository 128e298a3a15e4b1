import { append, recordOf } from './append.js';
import { HostModel } from './host.js';
import { deliver, land } from './log.js';
import { MAX_LOG } from './scene.js';
import { startDecision, taskOf, visits } from './visits.js';
import { copyWorld, headOf, OLDEST, TICK, viewOf, type Model, type Move, type Task, type World } from './world.js';

/** Everything that can happen next. */
export function movesOf(model: Model, w: World): Move[] {
  return [
    ...landings(model, w),
    ...w.hosts.flatMap((_, host) => hostMoves(model, w, host)),
    ...clockMoves(model, w),
    ...operatorMoves(model, w),
  ];
}

export const applied = (w: World, { apply }: Move): World => {
  const next = copyWorld(w);
  apply(next);
  return next;
};

function landings(model: Model, w: World): Move[] {
  if (w.log.length >= MAX_LOG) return [];
  const { copied, budget } = model.scene;
  return w.flight.flatMap((f, i) => {
    const h = w.hosts[f.host]!;
    const isOwn = h.isUp && h.boot === f.boot && !f.isCopy;
    const { event, type, frozen } = f.records.at(-1)!;
    const moves: Move[] = [{ label: `${event} lands${f.isCopy ? ' as a copy' : ''}`, isOwn, apply: (n) => land(model, n, i) }];
    const isCopied = !copied || f.records.some((r) => copied.some((t) => t === r.type));
    if (w.budget.copies > 0 && !f.isCopy && isCopied)
      moves.push({
        label: `${event} lands, and a copy stays on its way`,
        isOwn: false,
        apply: (n) => {
          n.budget.copies--;
          n.flight.push({ ...f, isCopy: true });
          land(model, n, i);
        },
      });
    if (budget.unreadableSpends && w.budget.unreadableSpends > 0 && frozen?.type === 'consent.spent')
      moves.push({
        label: `${event} lands unreadable`,
        isOwn: false,
        apply: (n) => {
          n.budget.unreadableSpends--;
          n.flight[i] = { ...f, records: [{ event, type, subject: frozen.requestId, text: `${event} unreadable` }] };
          land(model, n, i);
        },
      });
    return moves;
  });
}

function hostMoves(model: Model, w: World, host: number): Move[] {
  const h = w.hosts[host]!;
  const { budget } = w;
  if (!h.isUp) return model.scene.neverRestarts ? [] : [{ label: `h${host} starts again`, isOwn: false, apply: (n) => restart(n, host) }];
  const moves: Move[] = [];
  const next = w.log[h.seen]?.record.event;
  if (next) {
    moves.push({ label: `h${host} meets ${next}`, isOwn: true, apply: (n) => deliver(model, n, host) });
    if (
      budget.freezes > 0 &&
      h.tasks.some((t) => t.stage === 'dispatching' && t.event === next && !t.isLate && !t.hasHungUp) &&
      w.log[h.seen]!.folded.verdict.stands
    )
      moves.push({
        label: `h${host} meets ${next} and freezes after its last check`,
        isOwn: false,
        apply: (n) => (n.budget.freezes--, deliver(model, n, host, true)),
      });
  }
  h.tasks.forEach((t, i) => moves.push(...taskMoves(model, w, host, t, i)));
  if (budget.crashes > 0 && (h.tasks.length || w.flight.some((f) => f.host === host && f.boot === h.boot)))
    moves.push({ label: `h${host} crashes`, isOwn: false, apply: (n) => crash(n, host) });
  return h.booting.length ? moves : [...moves, ...visits(model, w, host)];
}

function taskMoves(model: Model, w: World, host: number, { name, stage, callId, attempt, runId, hasHungUp }: Task, i: number): Move[] {
  const moves: Move[] = [];
  const at = (n: World): [HostModel, Task] => [new HostModel(model, n, host), n.hosts[host]!.tasks[i]!];
  if (stage === 'frozen')
    moves.push({
      label: `h${host} wakes and sends ${callId}#${attempt}`,
      isOwn: true,
      apply: (n) => {
        const [actor, task] = at(n);
        actor.send(task, true);
      },
    });
  const renewal = `renew ${runId} waiting ${w.budget.queueRenewals}`;
  if (
    stage === 'queued' &&
    w.budget.queueRenewals > 0 &&
    !w.flight.some((f) => f.records.some((r) => r.event.startsWith(`renew ${runId} waiting`)))
  )
    moves.push({
      label: `h${host} renews the waiting ${runId}`,
      isOwn: true,
      apply: (n) => (n.budget.queueRenewals--, append(n, host, [recordOf(renewal, { type: 'turn.renewed', runId: runId! })])),
    });
  if (w.budget.hangUps > 0 && !hasHungUp && (stage === 'claiming' || stage === 'dispatching' || stage === 'queued'))
    moves.push({
      label: `the caller of ${name} hangs up`,
      isOwn: false,
      apply: (n) => {
        const [actor, task] = at(n);
        n.budget.hangUps--;
        task.hasHungUp = true;
        if (task.stage === 'queued') actor.giveUpWaiting(task);
      },
    });
  return moves;
}

function clockMoves(model: Model, w: World): Move[] {
  const moves: Move[] = [];
  const isSomethingGoingOn = w.flight.length > 0 || headOf(w).run !== undefined || w.hosts.some((h) => h.tasks.length > 0);
  if (w.budget.ticks > 0 && w.T < OLDEST && isSomethingGoingOn)
    moves.push({ label: '20 s pass', isOwn: false, apply: (n) => (n.budget.ticks--, pass(model, n, TICK)) });
  if (w.budget.clockSteps > 0)
    moves.push({
      label: "the broker's clock steps 40 s",
      isOwn: false,
      apply: (n) => ((n.T = OLDEST), (n.hasClockStepped = true), n.budget.clockSteps--),
    });
  if (w.budget.dates > 0) moves.push({ label: 'the date passes', isOwn: false, apply: (n) => ((n.isPast = !n.isPast), n.budget.dates--) });
  return moves;
}

/** Time passes for the log and for every host alike. */
function pass({ hasClockPerReader }: Model, w: World, ms: number): void {
  w.T = Math.min(OLDEST, w.T + ms);
  for (const h of w.hosts) for (const t of h.tasks) if (t.stage === 'dispatching' || t.stage === 'renewing') t.isLate = true;
  if (hasClockPerReader) w.log = w.log.map((e) => ({ ...e, late: Math.min(OLDEST, e.late + ms) }));
}

function operatorMoves(model: Model, w: World): Move[] {
  const host = w.hosts.findIndex((h) => h.isUp);
  if (host < 0) return [];
  const { budget } = w;
  const { paused, run } = viewOf(w, host);
  const moves: Move[] = [];
  const write = (
    label: string,
    isOwn: boolean,
    counter: 'sessionCloses' | 'requestCloses' | 'expirySweeps',
    frozen: Parameters<typeof recordOf>[1],
  ) => moves.push({ label, isOwn, apply: (n) => append(n, host, [recordOf(`${label} ${n.budget[counter]--}`, frozen)]) });
  if (budget.sessionCloses > 0) write('close session', false, 'sessionCloses', { type: 'session.closed' });
  if (paused && budget.requestCloses > 0)
    write(`close ${paused.requestId}`, false, 'requestCloses', {
      type: 'consent.spent',
      requestId: paused.requestId,
      claimId: 'x',
      verdict: 'closed',
    });
  if (paused && w.isPast && budget.expirySweeps > 0)
    write(`expire ${paused.requestId}`, true, 'expirySweeps', {
      type: 'consent.spent',
      requestId: paused.requestId,
      claimId: 'y',
      verdict: 'expired',
    });
  if (paused?.quorum && !run && budget.quorumSweeps > 0 && paused.votes.filter((v) => v.approved).length >= paused.quorum)
    moves.push({
      label: `h${host} sweeps the quorum of ${paused.requestId}`,
      isOwn: true,
      apply: (n) => {
        n.budget.quorumSweeps--;
        const task: Task = { ...taskOf('sweep', { plan: [] }), requestId: paused.requestId, verdict: 'approved', tries: 1 };
        startDecision(model, n, host, task, { verdict: 'approved' });
      },
    });
  return [...moves, ...lapseSweep(model, w, host)];
}

/** A run nobody works for lapses in the end; those that wait are renewed by their hosts meanwhile. */
function lapseSweep(model: Model, w: World, host: number): Move[] {
  const runId = headOf(w).run?.runId;
  if (!runId || w.log.length >= MAX_LOG || isWorkedFor(w, runId)) return [];
  const apply = (n: World): void => {
    pass(model, n, OLDEST);
    const wrote = (h: number, event: string, frozen: Parameters<typeof recordOf>[1]) => {
      append(n, h, [recordOf(event, frozen)]);
      land(model, n, n.flight.length - 1);
    };
    n.hosts.forEach((h, i) => {
      for (const t of h.tasks)
        if (h.isUp && t.stage === 'queued') wrote(i, `renew ${t.runId} by itself`, { type: 'turn.renewed', runId: t.runId! });
    });
    n.T = n.T === OLDEST ? OLDEST : TICK;
    wrote(host, `lapse ${runId}`, { type: 'turn.lapsed', runId });
  };
  return [{ label: `time passes until ${runId} lapses`, isOwn: true, apply }];
}

function isWorkedFor(w: World, runId: string): boolean {
  if (w.hosts.some((h) => h.isUp && h.tasks.some((t) => t.runId === runId))) return true;
  return w.flight.some(
    (f) => !f.isCopy && w.hosts[f.host]!.isUp && f.records.some((r) => r.frozen?.type === 'turn.failed' && r.frozen.runId === runId),
  );
}

function crash(w: World, host: number): void {
  const h = w.hosts[host]!;
  w.budget.crashes--;
  for (const t of h.tasks) w.answered.push(t.name);
  w.answered.sort();
  w.hosts[host] = { ...h, isUp: false, tasks: [], givenUp: [], booting: [] };
}

/** L13: a host ends what an earlier life of it left standing or waiting, and meets those ends before it is ready. */
function restart(w: World, host: number): void {
  const { run, waiting } = headOf(w);
  const boot = w.hosts[host]!.boot + 1;
  const left = [...(run ? [run] : []), ...waiting].filter((r) => r.hostId === `h${host}` && Number(r.bootId) < boot);
  w.hosts[host] = { isUp: true, boot, seen: w.log.length, tasks: [], givenUp: [], booting: left.map((r) => `fail ${r.runId} restarted`) };
  for (const { runId } of left)
    append(w, host, [recordOf(`fail ${runId} restarted`, { type: 'turn.failed', runId, errorName: 'HostRestarted' })]);
}
