import type { FactData } from '@doorledger/contracts';
import { readEvent } from './readable.js';
import type { Projection } from './projection.js';

/** One row per tool session; the first close per id stands (T40). */
export const projectToolSession: Projection = (record, changes) => {
  const reading = readEvent(record);
  if (!reading) return undefined;
  if ('why' in reading) return reading.why;
  const { event } = reading;
  switch (event.type) {
    case 'tool-session.started':
    case 'tool-session.reused':
    case 'tool-session.closed':
    case 'tool-session.close-failed':
      break;
    default:
      return undefined;
  }
  const { data } = event;
  if (data.keyHash !== record.key) return 'key';
  const at = record.timestamp;
  const row = { tool_session_id: data.toolSessionId, key_hash: data.keyHash, started_at: at };
  switch (event.type) {
    case 'tool-session.started':
      changes.put('tool_session', { ...row, ...openedBy(event.data), used_at: at, calls: 1 });
      return undefined;
    case 'tool-session.reused':
      changes.put('tool_session', { ...row, ...openedBy(event.data), used_at: at, calls: event.data.calls });
      return undefined;
    default:
      changes.put('tool_session', {
        ...row,
        ...openedBy(event.data),
        calls: event.data.calls,
        closed_at: at,
        close_reason: event.data.reason,
        close_error_class: event.type === 'tool-session.close-failed' ? event.data.errorClass : null,
        cleanup_ms: event.data.cleanupMs,
        age_ms: event.data.ageMs,
      });
      return undefined;
  }
};

type Opened = Omit<FactData<'tool-session.started'>, 'toolSessionId' | 'keyHash'>;
/** Every fact of a tool session repeats these, so that any one of them makes the row. */
const openedBy = ({ server, tool, scope, label, hostId, bootId, sessionRef, turnId, runId, callId }: Opened) => ({
  server,
  tool,
  scope,
  label: label ?? null,
  host_id: hostId,
  boot_id: bootId,
  session_key: sessionRef ?? turnId,
  turn_id: turnId,
  run_id: runId,
  call_id: callId,
});
