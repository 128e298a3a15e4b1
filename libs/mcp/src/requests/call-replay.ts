/**
 * What is known about one call, shared by the retry series (what HTTP showed), the request ledger (whether an answer under
 * its id arrived) and the call itself (that it settled). It outlives the connection (M16).
 */
export class CallReplay {
  /** The HTTP status of each try that was answered, in order. Empty on stdio. */
  readonly statuses: number[] = [];
  /** Tries of which a byte may have left; one more than `statuses` where the last had no answer. */
  tries = 0;
  /** A byte of the call may have left the host. */
  left = false;
  /** The server answered 404 under a session id: it does not know the session (M4). */
  sessionGone = false;
  /** An answer with exactly its id passed the observer (M13). */
  answered = false;
  /** The call settled: nothing more is sent for it (M18). */
  settled = false;
}
