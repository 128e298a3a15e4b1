import type { LoggedRecord, RecordData } from './found-on-log.js';
import { SessionFold } from './session-fold.js';

/** A log of one partition that a test writes, folded as it is written. */
export class WrittenLog {
  readonly fold = new SessionFold();
  /** Log time, ms. */
  now = 1_000_000;
  #offset = 0;

  /** @returns the record's offset */
  write(key: string, type: string, data: object, afterMs = 10): number {
    this.now += afterMs;
    const record: LoggedRecord = {
      ...{ partition: 0, epoch: 0, offset: this.#offset, timestamp: this.now, key, type },
      data: { after: null, ...data } as RecordData,
    };
    this.fold.see(record);
    return this.#offset++;
  }

  claim = (session: string, run: string, hostId: string, after: string | null = null): number =>
    this.write(session, 'turn.claimed', { turnId: `t-${run}`, runId: run, hostId, after });
  dispatch = (session: string, runId: string, callId: string, attempt = 1): number =>
    this.write(session, 'tool-call.dispatched', { runId, callId, attempt });
  finish = (session: string, callId: string, outcome: string, attempt = 1): number =>
    this.write(session, 'tool-call.finished', { callId, attempt, outcome });
}
