import type { AttemptFound } from './found-on-log.js';
import { lateOnes, stateOf, type CallEvidence, type Pause } from './judgement.js';

/** How much of what is judged there was: a run in which nothing came to the edge shows nothing. */
export function figuresOf(evidence: CallEvidence): Record<string, number> {
  const { fold, received, pauses } = evidence;
  const figures: Record<string, number> = { received: received.length, calls: fold.calls.size };
  const add = (name: string) => (figures[name] = (figures[name] ?? 0) + 1);
  for (const attempts of fold.calls.values()) {
    add(`calls: ${stateOf(attempts, fold.runs)}`);
    if (attempts.length > 1) add('calls dispatched again');
  }
  const arrivals = new Map(received.flatMap(({ fence, at }) => (fence ? [[placeOf(fence), at] as const] : [])));
  const attempts = [...fold.calls.values()].flat();
  figures['caught between dispatch and send'] = attempts.filter((attempt) => pauses.some((pause) => isCaught(attempt, pause))).length;
  figures['caught and sent afterwards'] = attempts.filter(
    (attempt) => arrivals.has(placeOf(attempt)) && pauses.some((pause) => isCaught(attempt, pause)),
  ).length;
  figures['received late'] = lateOnes(evidence).length;
  figures.takeovers = takeovers(evidence);
  return figures;

  function isCaught(attempt: AttemptFound, { host, from, to }: Pause): boolean {
    const { timestamp, runId, endedAt = Infinity } = attempt;
    const arrived = arrivals.get(placeOf(attempt)) ?? Infinity;
    return fold.runs.get(runId)?.hostId === host && timestamp <= to && timestamp > from - 1000 && arrived >= to && endedAt >= to;
  }
}

const placeOf = ({ partition, offset }: { partition: number; offset: number }): string => `${partition}/${offset}`;

/** Sessions that one host lost for its silence and another one took. */
function takeovers({ fold }: CallEvidence): number {
  const lost = new Map<string, string>();
  let count = 0;
  for (const { session, hostId, how } of fold.runs.values()) {
    const from = lost.get(session);
    if (from !== undefined && from !== hostId) count++;
    if (how === 'lapsed') lost.set(session, hostId);
    else lost.delete(session);
  }
  return count;
}
