import type { Violation } from '../history.js';
import type { Received } from '../judge-server-process.js';
import type { AttemptFound } from './found-on-log.js';
import type { SessionFold } from './session-fold.js';

/** A host that was stopped, by the clock of the one machine that all of this runs on (ms since the Unix epoch). */
export interface Pause {
  readonly host: string;
  readonly from: number;
  readonly to: number;
}

/** What calls are judged by. */
export interface CallEvidence {
  readonly fold: Pick<SessionFold, 'runs' | 'calls'>;
  /** What the tool server says. */
  readonly received: readonly Received[];
  /** By callId: what the ledger says became of its last attempt. */
  readonly ledgerCalls: ReadonlyMap<string, string>;
  readonly pauses: readonly Pause[];
}

/** L2, and what a judge on a busy machine may need to read what lies in its socket. */
const SEND_WINDOW_MS = 10_000;
const SLACK_MS = 2000;

/** Holds what a tool server received against the log and the ledger. Empty when every promise was kept. */
export function judgeCalls(evidence: CallEvidence): Violation[] {
  return [...receivedTwice(evidence), ...receivedWrongly(evidence), ...endedWrongly(evidence), ...judgeLate(evidence)];
}

const count = (names: readonly string[]): Map<string, number> => {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return times;
};

function receivedTwice({ received }: CallEvidence): Violation[] {
  const ids = count(received.map(({ id }) => id));
  const calls = count(received.flatMap(({ fence }) => (fence ? [fence.callId] : [])));
  return [...ids, ...calls].flatMap(([id, times]) => (times > 1 ? [{ rule: 'L2', what: `${id} was received ${times} times` }] : []));
}

/** Every call that came was sent by a dispatch that stands, and that attempt did not end `not-sent`. */
function receivedWrongly({ received, fold }: CallEvidence): Violation[] {
  return received.flatMap((one): Violation[] => {
    const attempt = attemptOf(one, fold);
    if (!attempt) return [{ rule: 'L3', what: `${one.id} was received and no dispatch of it stands where it says` }];
    if (attempt.end === 'not-sent') return [{ rule: 'M4', what: `${one.id} was received and its attempt ended not-sent` }];
    return [];
  });
}

/** The dispatch that stands where a received call says that it was sent by. */
export function attemptOf({ fence }: Received, fold: CallEvidence['fold']): AttemptFound | undefined {
  if (!fence) return undefined;
  const { callId, partition, offset } = fence;
  return fold.calls.get(callId)?.find((attempt) => attempt.partition === partition && attempt.offset === offset);
}

/** What became of a call: by its last attempt, as the rules name it. */
export function stateOf(attempts: readonly AttemptFound[], runs: SessionFold['runs']): string {
  const { end, word, runId } = attempts.at(-1)!;
  return end ?? word ?? (runs.get(runId)?.how === undefined ? 'dispatched' : 'outcome-unknown');
}

/** Every attempt has an end, or the ledger names it unknown; an end that needs an answer had a call. */
function endedWrongly({ fold, received, ledgerCalls }: CallEvidence): Violation[] {
  const violations: Violation[] = [];
  const came = new Set(received.map((one) => attemptOf(one, fold)));
  for (const [callId, attempts] of fold.calls) {
    const state = stateOf(attempts, fold.runs);
    if (state === 'dispatched') violations.push({ rule: 'L12', what: `call ${callId} is still open, and so is its run` });
    if ((state === 'ok' || state === 'error') && !came.has(attempts.at(-1)))
      violations.push({ rule: 'L3', what: `call ${callId} ended ${state} and was never received` });
    const inLedger = ledgerCalls.get(callId);
    if (inLedger !== state) {
      const rule = state === 'outcome-unknown' ? 'L1' : 'L9';
      violations.push({ rule, what: `call ${callId} is ${state} by the log and ${inLedger ?? 'not'} in the ledger` });
    }
  }
  for (const callId of ledgerCalls.keys())
    if (!fold.calls.has(callId)) violations.push({ rule: 'L9', what: `call ${callId} is in the ledger, and no dispatch of it stands` });
  return violations;
}

/** Calls that came when their host was not to send them any more: by its last standing record before, at the very latest. */
export function lateOnes({ received, fold }: Pick<CallEvidence, 'received' | 'fold'>): { id: string; at: number; host: string }[] {
  return received.flatMap((one) => {
    const run = fold.runs.get(attemptOf(one, fold)?.runId ?? '');
    if (!run) return [];
    const last = Math.max(...run.signs.filter((sign) => sign <= one.at));
    return one.at - last > SEND_WINDOW_MS + SLACK_MS ? [{ id: one.id, at: one.at, host: run.hostId }] : [];
  });
}

/**
 * L2: between the last look at the clock and the socket a process does one thing, so of what a pause freezes at most one call can be
 * sent late. That one is named by the rule; any other broke it.
 */
function judgeLate(evidence: CallEvidence): Violation[] {
  const excused = new Set<Pause>();
  return lateOnes(evidence).flatMap(({ id, at, host }) => {
    const pause = evidence.pauses.findLast((one) => one.host === host && one.to <= at + SLACK_MS);
    if (pause && !excused.has(pause)) {
      excused.add(pause);
      return [];
    }
    return [{ rule: 'L2', what: `${id} was received more than 10 s after the last standing record of its run` }];
  });
}
