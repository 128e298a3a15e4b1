import type { Effect } from '../effect.js';
import type { SessionState } from '../state.js';

interface LedgerView {
  readonly run: string | undefined;
  readonly waiting: readonly string[];
  readonly pending: readonly string[];
  readonly open: readonly string[];
  readonly isClosed: boolean;
  readonly isBlocked: boolean;
}

/**
 * A projection of effects alone, and a judge of what they claim: it remembers every run, request and attempt for ever, so
 * it sees a second act that the bounded state has forgotten.
 */
export class EffectLedger {
  readonly violations: string[] = [];
  readonly #stood = new Set<string>();
  readonly #settled = new Map<string, string>();
  readonly #pending = new Set<string>();
  /** What became of a call's last attempt. */
  readonly #calls = new Map<string, { attempt: number; end: string }>();
  #waiting: string[] = [];
  #run: string | undefined;
  #isClosed = false;
  #isBlocked = false;

  apply(e: Effect): void {
    switch (e.kind) {
      case 'run-stood':
        this.#check(this.#run === undefined && !this.#stood.has(e.runId), `${e.runId} stands beside ${this.#run} or again`);
        this.#stood.add(e.runId);
        this.#run = e.runId;
        this.#waiting = this.#waiting.filter((w) => w !== e.runId);
        return;
      case 'run-waits':
        this.#waiting.push(e.runId);
        return;
      case 'left-queue':
        this.#waiting = this.#waiting.filter((w) => w !== e.runId);
        return;
      case 'run-ended':
        this.#check(this.#run === e.runId, `${e.runId} ends without standing`);
        this.#run = undefined;
        return;
      case 'request-pending':
        this.#check(!this.#pending.has(e.requestId) && !this.#settled.has(e.requestId), `${e.requestId} is pending again`);
        this.#pending.add(e.requestId);
        return;
      case 'request-settled': {
        const isRunsWord = e.verdict === 'approved' || e.verdict === 'declined';
        this.#check(this.#pending.delete(e.requestId), `${e.requestId} is ${e.verdict} after ${this.#settled.get(e.requestId)}`);
        this.#check(!isRunsWord || e.claimId === this.#run, `${e.requestId} is ${e.verdict} by ${e.claimId} while ${this.#run} stands`);
        this.#settled.set(e.requestId, e.verdict);
        return;
      }
      case 'call-dispatched': {
        const last = this.#calls.get(e.callId);
        const isNext = last ? last.end === 'not-sent' && e.attempt === last.attempt + 1 : e.attempt === 1;
        this.#check(
          isNext && e.runId === this.#run,
          `${e.callId}#${e.attempt} of ${e.runId} is dispatched after ${last?.attempt} ${last?.end}`,
        );
        const isApproved = e.requestId === undefined || this.#settled.get(e.requestId) === 'approved';
        this.#check(isApproved, `${e.callId} is dispatched without approval`);
        this.#calls.set(e.callId, { attempt: e.attempt, end: 'open' });
        return;
      }
      case 'call-ended':
        return this.#end(e.callId, e.outcome);
      case 'call-unknown':
        return this.#end(e.callId, 'unknown');
      case 'call-resolved':
        return this.#end(e.callId, `resolved ${e.verdict}`);
      case 'session-closed':
        this.#isClosed = true;
        return;
      case 'key-blocked':
        this.#isBlocked = true;
        return;
      case 'key-unblocked':
        this.#isBlocked = false;
        return;
      case 'owner-set':
      case 'run-renewed':
      case 'turn-closed':
      case 'request-void':
      case 'spent-not-run':
      case 'voted':
      case 'call-conflict':
        return;
    }
  }

  view(): LedgerView {
    return {
      run: this.#run,
      waiting: this.#waiting,
      pending: [...this.#pending].sort(),
      open: [...this.#calls].flatMap(([callId, c]) => (c.end === 'open' ? [callId] : [])).sort(),
      isClosed: this.#isClosed,
      isBlocked: this.#isBlocked,
    };
  }

  /** The same of a state. */
  static viewOf({ run, waiting, paused, isClosed, blockedBy }: SessionState): LedgerView {
    const granted = run?.requests.filter((r) => r.isGranted && r.spent === undefined).map((r) => r.requestId) ?? [];
    return {
      run: run?.runId,
      waiting: waiting.map((w) => w.runId),
      pending: [...granted, ...(paused ? [paused.requestId] : [])].sort(),
      open: (run?.calls.filter((c) => c.status === 'open').map((c) => c.callId) ?? []).sort(),
      isClosed,
      isBlocked: blockedBy !== undefined,
    };
  }

  #end(callId: string, end: string): void {
    const last = this.#calls.get(callId);
    this.#check(last?.end === 'open' || last?.end === 'unknown', `${callId} is ${end} after ${last?.end}`);
    if (last) last.end = end;
  }

  #check(isRight: boolean, violation: string): void {
    if (!isRight) this.violations.push(violation);
  }
}
