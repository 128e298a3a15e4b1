import type { Became } from '@doorledger/consent';
import type { Folded, SessionRecord, SessionState } from '@doorledger/event-log';

interface Asked {
  readonly callId: string;
  readonly mintedBy: string;
  readonly isGranted: boolean;
  /** `opening`: its pause has not followed. */
  status: 'opening' | 'void' | 'pending' | 'approved' | 'declined' | 'closed' | 'expired' | 'unknown';
  claimId?: string;
}

interface Sent {
  readonly runId: string;
  end?: string;
}

/**
 * What is true of every request of a session, told from the records and which of them stand, in the words of spec 2 (N12, N22, N31): not
 * from the fold's effects, which the ledger's rows are made of. It forgets nothing.
 */
export class RequestTruth {
  readonly requests = new Map<string, Asked>();
  readonly #sent = new Map<string, Sent>();
  #run: string | undefined;

  add({ type, subject, frozen }: SessionRecord, before: SessionState, { verdict, state }: Folded): void {
    const opening = before.run?.opening && this.requests.get(before.run.opening.requestId);
    if (opening && !state.run?.opening) opening.status = 'void';
    if (verdict.stands && frozen) {
      if (frozen.type === 'consent.minted')
        this.requests.set(frozen.requestId, {
          callId: frozen.callId,
          mintedBy: frozen.runId,
          isGranted: frozen.grant !== undefined,
          status: frozen.grant === undefined ? 'opening' : 'pending',
        });
      if (frozen.type === 'turn.paused') opening!.status = 'pending';
      if (frozen.type === 'consent.spent')
        Object.assign(this.requests.get(frozen.requestId)!, { status: frozen.verdict, claimId: frozen.claimId });
      if (frozen.type === 'tool-call.dispatched') this.#sent.set(frozen.callId, { runId: frozen.runId });
      if (frozen.type === 'tool-call.finished') this.#sent.get(frozen.callId)!.end = frozen.outcome;
      if (frozen.type === 'tool-call.reconciled') this.#sent.get(frozen.callId)!.end = frozen.verdict;
    }
    if (type === 'consent.spent' && !frozen && !before.blockedBy && !before.isClosed)
      this.#settle('unknown', (_, id) => id === (subject ?? before.paused?.requestId));
    if (state.isClosed && !before.isClosed) this.#settle('closed', (_, id) => id === before.paused?.requestId);
    if (before.run && before.run.runId !== state.run?.runId)
      this.#settle('closed', ({ isGranted, mintedBy }) => isGranted && mintedBy === before.run!.runId);
    this.#run = state.run?.runId;
  }

  became({ status, claimId, callId }: Asked): Became {
    if (status === 'pending' || status === 'opening') return { state: 'pending' };
    if (status !== 'approved') return { state: 'never-ran', by: status };
    const sent = this.#sent.get(callId);
    switch (sent?.end) {
      case undefined:
        if (sent) return { state: sent.runId === this.#run ? 'under-way' : 'outcome-unknown' };
        return { state: claimId === this.#run ? 'under-way' : 'spent-not-run' };
      case 'not-sent':
        return { state: claimId === this.#run ? 'under-way' : 'spent-not-run' };
      case 'did-not-run':
        return { state: 'did-not-run' };
      default:
        return { state: 'ran' };
    }
  }

  #settle(status: Asked['status'], isIt: (asked: Asked, requestId: string) => boolean): void {
    for (const [requestId, asked] of this.requests) if (asked.status === 'pending' && isIt(asked, requestId)) asked.status = status;
  }
}
