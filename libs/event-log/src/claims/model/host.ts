import { pendingRequest } from '../spend.js';
import type { SessionState } from '../state.js';
import type { Verdict } from '../verdict.js';
import { append, claimOf, mintingOf, recordOf } from './append.js';
import { judgeSend } from './judge.js';
import { MAX_TRIES } from './scene.js';
import { headOf, viewOf, type Model, type Task, type World } from './world.js';

/** How a host of the product behaves (L2, L7, N13), one record at a time. It knows its own view of the log only. */
export class HostModel {
  constructor(
    readonly model: Model,
    readonly world: World,
    readonly host: number,
  ) {}

  get #view(): SessionState {
    return viewOf(this.world, this.host);
  }

  /** A new run of the task asks for the session, after the last run of this view. */
  claim(task: Task, after = this.#view.lastRunId): void {
    const runId = `r${++this.world.runs}`;
    task.runId = runId;
    task.tries++;
    task.stage = 'claiming';
    append(this.world, this.host, [claimOf(task, runId, this.host, this.world.hosts[this.host]!.boot, after)], task);
  }

  /** A decision claims the paused turn once no run stands (N13). */
  decide(task: Task): void {
    const { isClosed, paused, run } = this.#view;
    task.event = undefined;
    if (isClosed || paused?.requestId !== task.requestId) return this.#answer(task);
    task.turnId = paused!.turnId;
    if (run) task.stage = 'deciding';
    else this.claim(task);
  }

  /** The task meets its own record. `isFrozen`: the process stops between its last check and the send. */
  meet(task: Task, verdict: Verdict, isFrozen: boolean): void {
    const { event, isLate } = task;
    task.event = undefined;
    const reason = verdict.stands || verdict.waits || verdict.isIgnored ? undefined : verdict.reason;
    switch (task.stage) {
      case 'claiming':
        return this.#metClaim(task, verdict, reason, event!);
      case 'dispatching':
        return verdict.stands ? this.#metDispatch(task, isLate, isFrozen) : this.#dispatchVoid(task, reason, event!);
      case 'not-sending':
        return task.hasHungUp ? this.#fail(task, 'Aborted') : this.#renew(task);
      case 'renewing':
        if (!verdict.stands) return this.#answer(task);
        if (task.attempt >= MAX_TRIES || isLate) return this.#fail(task, 'NoWindow');
        return this.#dispatch(task, task.attempt + 1);
      case 'spending':
        return this.#metSpend(task, verdict.stands, reason);
      case 'minting':
        if (!verdict.stands) return this.#lost(task);
        if (this.world.grantUses === 0) return this.#spend(task, 'closed');
        this.world.grantUses--;
        return this.#spend(task, 'approved');
      case 'stepping':
      case 'finishing':
        return verdict.stands || task.stage === 'finishing' ? this.goOn(task) : this.#lost(task);
      case 'pausing':
        return verdict.stands ? this.#answer(task) : this.#lost(task);
      case 'voting':
        return this.#metVote(task, verdict.stands);
      default:
        return this.#answer(task);
    }
  }

  /** A queued or deciding task meets somebody else's record. */
  look(task: Task): void {
    const { run, waiting } = this.#view;
    if (task.stage === 'deciding') return this.decide(task);
    if (run?.runId === task.runId) return this.goOn(task);
    if (waiting.some((w) => w.runId === task.runId)) return;
    this.#giveUp(`claim ${task.runId}`, task);
    this.#answer(task);
  }

  giveUpWaiting(task: Task): void {
    this.#fail(task, 'GivenUp');
  }

  /** Whatever the standing run does next. */
  goOn(task: Task): void {
    if (task.hasHungUp) return this.#fail(task, 'Aborted');
    const { runId } = task;
    if (task.approved) {
      task.callId = task.approved.callId;
      task.gatedBy = task.approved.requestId;
      task.approved = undefined;
      return this.#dispatch(task, 1);
    }
    const [next, ...rest] = task.plan;
    const left = task.plan.length;
    task.plan = rest;
    if (next === undefined) return this.#append(task, 'ending', `complete ${runId}`, { type: 'turn.completed', runId: runId! });
    if (next === 'step') return this.#append(task, 'stepping', `step ${runId} ${left}`, { type: 'turn.stepped', runId: runId! });
    if (next === 'call') {
      task.callId = `c-${runId}-${left}`;
      task.gatedBy = undefined;
      return this.#dispatch(task, 1);
    }
    this.#mint(task, next === 'granted');
  }

  send(task: Task, isFrozen: boolean): void {
    const { world: w } = this;
    w.memory = judgeSend(w.memory, headOf(w), task, w.flight, isFrozen || w.hasClockStepped);
    const { callId, attempt, runId } = task;
    this.#append(task, 'finishing', `finish ${callId}#${attempt}`, {
      type: 'tool-call.finished',
      callId: callId!,
      attempt,
      runId: runId!,
      outcome: 'ok',
    });
  }

  #metClaim(task: Task, verdict: Verdict, reason: string | undefined, event: string): void {
    if (verdict.stands || verdict.waits) {
      if (task.hasHungUp) return this.#fail(task, 'GivenUp');
      if (verdict.waits) task.stage = 'queued';
      else if (task.verdict) this.#spend(task, task.verdict);
      else this.goOn(task);
      return;
    }
    this.#giveUp(event, task);
    if (task.hasHungUp || task.tries >= MAX_TRIES) return this.#answer(task);
    if (task.verdict) this.decide(task);
    else if (reason === 'after') this.claim(task);
    else this.#answer(task);
  }

  #metDispatch(task: Task, isLate: boolean, isFrozen: boolean): void {
    if (task.hasHungUp || isLate) {
      const { callId, attempt, runId } = task;
      const finished = { type: 'tool-call.finished', callId: callId!, attempt, runId: runId!, outcome: 'not-sent' } as const;
      return this.#append(task, 'not-sending', `not-sent ${callId}#${attempt}`, finished);
    }
    if (isFrozen) task.stage = 'frozen';
    else this.send(task, false);
  }

  #dispatchVoid(task: Task, reason: string | undefined, event: string): void {
    if (reason === 'lease' && !task.isRetried) {
      task.isRetried = true;
      this.#giveUp(event, task, task.attempt);
      task.attempt--;
      return this.#renew(task);
    }
    if (reason === 'expired') return this.goOn(task);
    this.#lost(task);
  }

  #metSpend(task: Task, stands: boolean, reason: string | undefined): void {
    const { run } = this.#view;
    const { requestId } = task;
    if (stands || (run?.runId === task.runId && !pendingRequest(this.#view, requestId!))) {
      const request = run?.requests.find((r) => r.requestId === requestId);
      if (stands && request?.spent === 'approved') task.approved = { requestId: requestId!, callId: request.callId };
      return this.goOn(task);
    }
    if (reason === 'expired') this.#spend(task, 'expired');
    else this.#lost(task);
  }

  #metVote(task: Task, stands: boolean): void {
    const { paused } = this.#view;
    const votes = paused?.requestId === task.requestId ? paused!.votes : [];
    const isDecided = task.verdict === 'declined' || votes.length >= (paused?.quorum ?? 1);
    if (stands && isDecided) this.decide(task);
    else this.#answer(task);
  }

  #mint(task: Task, isGranted: boolean): void {
    task.requestId = `q${++this.world.requests}`;
    task.stage = isGranted ? 'minting' : 'pausing';
    append(this.world, this.host, mintingOf(task.runId!, task.requestId, isGranted, this.model.scene), task);
  }

  #spend(task: Task, verdict: 'approved' | 'declined' | 'closed' | 'expired'): void {
    const { requestId, runId } = task;
    const claimId = verdict === 'approved' || verdict === 'declined' ? runId! : `x-${runId}`;
    this.#append(task, 'spending', `spend ${requestId} ${verdict} ${claimId}`, {
      type: 'consent.spent',
      requestId: requestId!,
      claimId,
      verdict,
    });
  }

  #dispatch(task: Task, attempt: number): void {
    task.attempt = attempt;
    const { callId, runId, gatedBy: requestId } = task;
    const name = `dispatch ${callId}#${attempt}${task.isRetried ? ' again' : ''}`;
    this.#append(task, 'dispatching', name, {
      type: 'tool-call.dispatched',
      callId: callId!,
      attempt,
      runId: runId!,
      ...(requestId && { requestId }),
    });
  }

  #renew(task: Task): void {
    this.#append(task, 'renewing', `renew ${task.runId} ${task.attempt}${task.isRetried}`, { type: 'turn.renewed', runId: task.runId! });
  }

  /** A void record of a run: it fails where it still stands (L2). */
  #lost(task: Task): void {
    if (this.#view.run?.runId === task.runId) this.#fail(task, 'Refused');
    else this.#answer(task);
  }

  #fail(task: Task, errorName: string): void {
    this.#append(task, 'ending', `fail ${task.runId} ${errorName}`, { type: 'turn.failed', runId: task.runId!, errorName });
  }

  #append(task: Task, stage: Task['stage'], event: string, frozen: Parameters<typeof recordOf>[1]): void {
    task.stage = stage;
    append(this.world, this.host, [recordOf(event, frozen)], task);
  }

  #giveUp(event: string, { runId, callId }: Task, attempt?: number): void {
    this.world.hosts[this.host]!.givenUp.push({ event, runId: runId!, ...(attempt && { callId, attempt }) });
  }

  #answer(task: Task): void {
    const host = this.world.hosts[this.host]!;
    host.tasks = host.tasks.filter((t) => t !== task);
    this.world.answered.push(task.name);
    this.world.answered.sort();
  }
}
