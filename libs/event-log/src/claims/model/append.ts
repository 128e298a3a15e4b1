import type { FrozenRecord } from '@doorledger/contracts';
import type { Scene } from './scene.js';
import type { ModelRecord, Task, World } from './world.js';

/** The date after which requests expire, where the scene's clock can pass it. */
const DECIDE_BY = 1_000;

/** A record under its event's name; equal content appended as another event needs another name. */
export const recordOf = (event: string, frozen: FrozenRecord): ModelRecord => ({
  event,
  type: frozen.type,
  frozen,
  text: `${event}${JSON.stringify(frozen)}`,
});

/** Starts an append; it lands later, or never if its host dies first. */
export function append(w: World, host: number, records: readonly ModelRecord[], task?: Task): void {
  w.flight.push({ host, boot: w.hosts[host]!.boot, records, isCopy: false });
  if (!task) return;
  task.event = records.at(-1)!.event;
  task.isLate = false;
}

export function claimOf(task: Task, runId: string, host: number, boot: number, after: string | null): ModelRecord {
  const { turnId, verdict, requestId, isWaiting, key } = task;
  const optional = {
    ...(verdict && { resumes: requestId }),
    ...(isWaiting && { wait: true }),
    ...(key && { idempotency: { key, body: '' } }),
  };
  return recordOf(`claim ${runId}`, { type: 'turn.claimed', turnId, runId, hostId: `h${host}`, bootId: `${boot}`, after, ...optional });
}

/** The records that mint a request: the pair that pauses, or the one under a grant. */
export function mintingOf(runId: string, requestId: string, isGranted: boolean, { budget, quorum }: Scene): ModelRecord[] {
  const how = isGranted ? { grant: 'g' } : { ...(quorum && { quorum }) };
  const dates = budget.dates ? { decideBy: DECIDE_BY } : {};
  const minted = recordOf(`mint ${requestId}`, { type: 'consent.minted', runId, requestId, callId: `g-${requestId}`, ...how, ...dates });
  return isGranted ? [minted] : [minted, recordOf(`pause ${requestId}`, { type: 'turn.paused', runId, requestId })];
}
