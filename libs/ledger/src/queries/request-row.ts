import type { RequestRow } from '@doorledger/consent';
import type { Row } from '../schema/index.js';

/** Every status of a row of `tool_call`, as what became of a request says it. */
const callOf: Readonly<Record<string, RequestRow['call']>> = {
  dispatched: 'open',
  ok: 'ended',
  error: 'ended',
  cancelled: 'ended',
  'not-sent': 'not-sent',
  'outcome-unknown': 'outcome-unknown',
  ran: 'ran',
  'did-not-run': 'did-not-run',
};

/**
 * What the ledger says of a request (N12, N22). `callStatus` is that of its call's row, null where the call was never dispatched. The two
 * are joined by the call: whatever dispatched it, it ran.
 */
export function requestRow({ status, not_run_at }: Pick<Row<'consent'>, 'status' | 'not_run_at'>, callStatus: string | null): RequestRow {
  const call = callStatus === null ? undefined : callOf[callStatus];
  return { status: status as RequestRow['status'], isNotRun: not_run_at !== null, ...(call && { call }) };
}
