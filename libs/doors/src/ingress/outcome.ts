import type { FactData } from '@doorledger/contracts';
import type { Terminal } from '../wire/terminal.js';
import { isDoorErrorCode } from '../wire/error-table.js';

export type Outcome = FactData<'ingress.recorded'>['outcome'];

/** Ours by code, but the door decided nothing (E10). */
const undecided = new Set(['ERR_LOG_UNAVAILABLE', 'ERR_LEDGER_BEHIND', 'ERR_SESSION_BLOCKED']);

/** Which outcome of spec 5 a terminal is. */
export function outcomeOf(terminal: Terminal): Outcome {
  if (terminal.kind !== 'fail') return 'served';
  const { code } = terminal;
  if (code === undefined || !isDoorErrorCode(code) || undecided.has(code)) return 'failed';
  return code === 'ERR_SESSION_NOT_FOUND' ? 'session-refused' : 'refused';
}
