import type { Effect } from '@doorledger/event-log';
import type { RowChanges } from '../row-changes.js';
import type { JudgedRecord } from './judged-record.js';

/** Tool calls: the last dispatched attempt and what became of it. */
export function projectCall({ record, event, tenantRef }: JudgedRecord, effects: readonly Effect[], changes: RowChanges): void {
  const { key, timestamp } = record;
  for (const effect of effects) {
    switch (effect.kind) {
      case 'call-dispatched': {
        const told = event?.type === 'tool-call.dispatched' ? event.data : undefined;
        changes.put('tool_call', {
          call_id: effect.callId,
          session_key: key,
          tenant_ref: tenantRef,
          turn_id: effect.turnId,
          run_id: effect.runId,
          attempt: effect.attempt,
          request_id: effect.requestId ?? null,
          status: 'dispatched',
          dispatched_at: timestamp,
          ended_at: null,
          ...(told && { server: told.server, tool: told.tool, gated: told.gated ? 1 : 0, tool_session_id: told.toolSessionId ?? null }),
        });
        break;
      }
      case 'call-ended':
        changes.put('tool_call', {
          call_id: effect.callId,
          session_key: key,
          status: effect.outcome,
          ended_at: timestamp,
          ...endedBy(event),
        });
        break;
      case 'call-unknown':
        changes.put('tool_call', { call_id: effect.callId, session_key: key, status: 'outcome-unknown', ended_at: timestamp });
        break;
      case 'call-resolved':
        changes.put('tool_call', {
          call_id: effect.callId,
          session_key: key,
          status: effect.verdict,
          ended_at: timestamp,
          ...endedBy(event),
        });
        break;
      case 'call-conflict':
        changes.put('tool_call', { call_id: effect.callId, session_key: key, conflict: effect.outcome });
        break;
      default:
    }
  }
}

function endedBy(event: JudgedRecord['event']) {
  if (event?.type === 'tool-call.finished') return { duration_ms: event.data.durationMs, error_class: event.data.errorClass ?? null };
  if (event?.type === 'tool-call.reconciled') return { reconciled_by: event.data.by };
  return undefined;
}
