import type { Effect, TurnStatus } from '@doorledger/event-log';
import type { RowChanges } from '../row-changes.js';
import type { Change } from '../schema/index.js';
import type { JudgedRecord } from './judged-record.js';

const isOver: { readonly [S in TurnStatus]: boolean } = {
  running: false,
  waiting: false,
  paused: false,
  completed: true,
  failed: true,
  abandoned: true,
  closed: true,
};

/** Turns, and the runs that stand or wait (L12, L13). */
export function projectTurn(judged: JudgedRecord, effects: readonly Effect[], changes: RowChanges): void {
  const { record, event, verdict, state } = judged;
  const { key, partition, timestamp } = record;
  for (const effect of effects) {
    switch (effect.kind) {
      case 'run-stood':
      case 'run-waits': {
        const { turnId, runId, hostId, bootId } = effect;
        putStatus(judged, turnId, effect.turn, changes, { run_id: runId, host_id: hostId, boot_id: bootId, claimed_at: timestamp });
        const run = {
          session_key: key,
          run_id: runId,
          partition,
          turn_id: turnId,
          host_id: hostId,
          boot_id: bootId,
          quiet_since: timestamp,
        };
        if (effect.kind === 'run-waits') changes.add('open_run', { ...run, status: 'waiting' });
        else if (effect.fromQueue) changes.put('open_run', { ...run, status: 'standing' });
        else changes.add('open_run', { ...run, status: 'standing' });
        break;
      }
      case 'run-renewed':
        changes.put('open_run', { session_key: key, run_id: effect.runId, partition, quiet_since: timestamp });
        break;
      case 'left-queue':
      case 'run-ended':
        putStatus(judged, effect.turnId, effect.turn, changes);
        changes.remove('open_run', { session_key: key, run_id: effect.runId });
        break;
      case 'turn-closed':
        putStatus(judged, effect.turnId, effect.turn, changes);
        break;
      default:
    }
  }
  if (!event || !(verdict.stands || verdict.waits)) return;
  // A failed resume leaves its turn paused: what the pause wrote down stays (spec 6).
  const isStillPaused = event.type === 'turn.failed' && state.paused?.turnId === event.data.turnId;
  const told = isStillPaused ? undefined : toldOf(event);
  if (told) changes.put('turn', { ...told, session_key: key, last_at: timestamp });
}

function putStatus(
  { record, state }: JudgedRecord,
  turnId: string,
  status: TurnStatus,
  changes: RowChanges,
  more?: Partial<Change<'turn'>>,
): void {
  const { key, timestamp } = record;
  changes.put('turn', {
    turn_id: turnId,
    session_key: key,
    status,
    last_at: timestamp,
    ended_at: isOver[status] ? timestamp : null,
    awaiting: status === 'paused' ? (state.paused?.requestId ?? null) : null,
    ...more,
  });
}

/** What a standing record of the turn itself says beyond its status. */
function toldOf(event: NonNullable<JudgedRecord['event']>): Omit<Change<'turn'>, 'session_key'> | undefined {
  switch (event.type) {
    case 'turn.claimed':
      return { turn_id: event.data.turnId, tenant_ref: event.data.tenantRef ?? null };
    case 'turn.stepped':
      return { turn_id: event.data.turnId, steps: event.data.step };
    case 'turn.paused': {
      const { turnId, liveToolSessions, private: named } = event.data;
      return { turn_id: turnId, live_tool_sessions: liveToolSessions, ...placeOf(named) };
    }
    case 'turn.completed': {
      const { turnId, steps, toolCalls, liveToolSessions, private: named, usage } = event.data;
      return { turn_id: turnId, steps, tool_calls: toolCalls, live_tool_sessions: liveToolSessions, ...placeOf(named), ...usageOf(usage) };
    }
    case 'turn.failed': {
      const { turnId, errorCode, errorName, liveToolSessions, private: named, usage } = event.data;
      return {
        turn_id: turnId,
        error_code: errorCode ?? null,
        error_name: errorName,
        live_tool_sessions: liveToolSessions,
        ...(named && placeOf(named)),
        ...usageOf(usage),
      };
    }
    default:
      return undefined;
  }
}

const placeOf = (named: { readonly partition: number; readonly offset: number; readonly hash: string }) => ({
  private_partition: named.partition,
  private_offset: named.offset,
  private_hash: named.hash,
});

const usageOf = (usage: { readonly inputTokens: number; readonly outputTokens: number; readonly model: string } | undefined) =>
  usage && { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, model: usage.model };
