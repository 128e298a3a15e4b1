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
  const { key, partition, timestamp } = judged.record;
  const told = toldBy(judged);
  for (const effect of effects) {
    switch (effect.kind) {
      case 'run-stood':
      case 'run-waits': {
        const { turnId, runId, hostId, bootId } = effect;
        const row = statusOf(judged, turnId, effect.turn, told);
        row.run_id = runId;
        row.host_id = hostId;
        row.boot_id = bootId;
        row.claimed_at = timestamp;
        if (row !== told) changes.put('turn', row);
        const run = {
          session_key: key,
          run_id: runId,
          partition,
          turn_id: turnId,
          host_id: hostId,
          boot_id: bootId,
          status: effect.kind === 'run-waits' ? 'waiting' : 'standing',
          quiet_since: timestamp,
        };
        if (effect.kind === 'run-stood' && effect.fromQueue) changes.put('open_run', run);
        else changes.add('open_run', run);
        break;
      }
      case 'run-renewed':
        changes.put('open_run', { session_key: key, run_id: effect.runId, partition, quiet_since: timestamp });
        break;
      case 'left-queue':
      case 'run-ended':
        putStatus(judged, effect, told, changes);
        changes.remove('open_run', { session_key: key, run_id: effect.runId });
        break;
      case 'turn-closed':
        putStatus(judged, effect, told, changes);
        break;
      default:
    }
  }
  if (told) changes.put('turn', told);
}

type TurnChange = Change<'turn'>;

type Judged = { readonly turnId: string; readonly turn: TurnStatus };

function putStatus(judged: JudgedRecord, { turnId, turn }: Judged, told: TurnChange | undefined, changes: RowChanges): void {
  const row = statusOf(judged, turnId, turn, told);
  if (row !== told) changes.put('turn', row);
}

/** Written into the row of what the record itself tells, where that is of the same turn: one change of a row, not two. */
function statusOf({ record, state }: JudgedRecord, turnId: string, status: TurnStatus, told: TurnChange | undefined): TurnChange {
  const row: TurnChange = told?.turn_id === turnId ? told : { turn_id: turnId, session_key: record.key };
  row.status = status;
  row.last_at = record.timestamp;
  row.ended_at = isOver[status] ? record.timestamp : null;
  row.awaiting = status === 'paused' ? (state.paused?.requestId ?? null) : null;
  return row;
}

/** What a standing record of the turn itself says beyond its status. */
function toldBy({ record, event, verdict, state }: JudgedRecord): TurnChange | undefined {
  if (!event || !(verdict.stands || verdict.waits)) return undefined;
  const { key, timestamp } = record;
  switch (event.type) {
    case 'turn.claimed': {
      const { turnId, tenantRef } = event.data;
      return { turn_id: turnId, session_key: key, last_at: timestamp, tenant_ref: tenantRef ?? null };
    }
    case 'turn.stepped': {
      const { turnId, step, private: named } = event.data;
      return { turn_id: turnId, session_key: key, last_at: timestamp, steps: step, content_offset: named.offset };
    }
    case 'turn.paused': {
      const { turnId, liveToolSessions, private: named } = event.data;
      const row: TurnChange = { turn_id: turnId, session_key: key, last_at: timestamp, live_tool_sessions: liveToolSessions };
      setPlace(row, named);
      return row;
    }
    case 'turn.completed': {
      const { turnId, steps, toolCalls, liveToolSessions, private: named, usage } = event.data;
      const row: TurnChange = { turn_id: turnId, session_key: key, last_at: timestamp, steps, tool_calls: toolCalls };
      row.live_tool_sessions = liveToolSessions;
      setPlace(row, named);
      if (usage) setUsage(row, usage);
      return row;
    }
    case 'turn.failed': {
      const { turnId, errorCode, errorName, liveToolSessions, private: named, usage } = event.data;
      // A failed resume leaves its turn paused: what the pause wrote down stays (spec 6).
      if (state.paused?.turnId === turnId) return named && { turn_id: turnId, session_key: key, content_offset: named.offset };
      const row: TurnChange = { turn_id: turnId, session_key: key, last_at: timestamp, error_code: errorCode ?? null };
      row.error_name = errorName;
      row.live_tool_sessions = liveToolSessions;
      if (named) setPlace(row, named);
      if (usage) setUsage(row, usage);
      return row;
    }
    default:
      return undefined;
  }
}

function setPlace(row: TurnChange, { partition, offset, hash }: { partition: number; offset: number; hash: string }): void {
  row.private_partition = partition;
  row.private_offset = offset;
  row.private_hash = hash;
  row.content_offset = offset;
}

function setUsage(row: TurnChange, usage: { inputTokens: number; outputTokens: number; model: string }): void {
  row.input_tokens = usage.inputTokens;
  row.output_tokens = usage.outputTokens;
  row.model = usage.model;
}
