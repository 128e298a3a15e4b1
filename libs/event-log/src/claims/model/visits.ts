import { append, recordOf } from './append.js';
import { HostModel } from './host.js';
import type { Decision, Message } from './scene.js';
import { viewOf, type Model, type Move, type Task, type World } from './world.js';

/** Messages and decisions that can reach a host now. */
export function visits(model: Model, w: World, host: number): Move[] {
  const { messages, decisions, budget } = model.scene;
  const view = viewOf(w, host);
  const moves: Move[] = [];
  messages.forEach((m, i) => {
    if (w.taken[i] || (m.host !== undefined && m.host !== host)) return;
    const visit = (after?: (n: World) => string | null) => (n: World) => {
      n.taken[i] = true;
      if (view.isClosed || view.paused) return;
      const task = taskOf(`m${i}`, m);
      n.hosts[host]!.tasks.push(task);
      new HostModel(model, n, host).claim(task, ...(after ? [after(n)] : []));
    };
    moves.push({ label: `h${host} gets message m${i}`, isOwn: false, apply: visit() });
    if (budget.staleViews && w.budget.staleViews > 0 && w.memory.endedRuns.length > 0)
      moves.push({
        label: `h${host} gets message m${i} with a stale view`,
        isOwn: false,
        apply: visit((n) => (n.budget.staleViews--, n.memory.endedRuns.at(-2) ?? null)),
      });
  });
  decisions.forEach((d, i) => {
    const name = `d${i}`;
    const requestId = `q${d.request ?? 1}`;
    if (w.taken[messages.length + i] || view.paused?.requestId !== requestId) return;
    if (d.after !== undefined && !w.answered.includes(`d${d.after}`)) return;
    moves.push({
      label: `h${host} gets ${d.vote ? `the vote of ${d.vote.by}` : `decision ${name}, ${d.verdict}`}`,
      isOwn: false,
      apply: (n) => {
        n.taken[messages.length + i] = true;
        startDecision(model, n, host, { ...taskOf(name, { plan: [], ...d }), requestId, verdict: d.verdict }, d);
      },
    });
  });
  return moves;
}

export function startDecision(model: Model, n: World, host: number, task: Task, { vote }: Decision): void {
  n.hosts[host]!.tasks.push(task);
  if (!vote) return new HostModel(model, n, host).decide(task);
  task.stage = 'voting';
  append(n, host, [recordOf(`vote ${task.requestId} ${vote.by}`, { type: 'consent.voted', requestId: task.requestId!, ...vote })], task);
}

export const taskOf = (name: string, { plan, wait, key }: Message): Task => ({
  name,
  stage: 'claiming',
  turnId: `t-${name}`,
  plan,
  isWaiting: wait === true,
  ...(key && { key }),
  tries: 0,
  attempt: 0,
  isRetried: false,
  isLate: false,
  hasHungUp: false,
});
