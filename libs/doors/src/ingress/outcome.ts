import type { FactData } from '@doorledger/contracts';
import { isDoorErrorCode, type DoorErrorCode } from '../wire/error-table.js';
import type { Terminal } from '../wire/terminal.js';

export type Outcome = FactData<'ingress.recorded'>['outcome'];

/** Codes of ours that spec 5 does not simply call `refused`. */
const outcomeByCode: { readonly [C in DoorErrorCode]?: Outcome } = {
  ERR_IDENTITY_NOT_VERIFIED: 'identity-refused',
  ERR_IDENTITY_VERIFIER_UNAVAILABLE: 'verifier-unavailable',
  ERR_ADMISSION_REFUSED: 'admission-refused',
  ERR_SESSION_NOT_FOUND: 'session-refused',
  ERR_HOST_NOT_ALLOWED: 'cross-site-refused',
  ERR_ORIGIN_NOT_ALLOWED: 'cross-site-refused',
  ERR_UNSUPPORTED_MEDIA_TYPE: 'cross-site-refused',
  // The door decided nothing (E10).
  ERR_LOG_UNAVAILABLE: 'failed',
  ERR_LEDGER_BEHIND: 'failed',
  ERR_SESSION_BLOCKED: 'failed',
  ERR_MODEL_UNAVAILABLE: 'failed',
  ERR_MODEL_RATE_LIMITED: 'failed',
  ERR_MODEL_REFUSED: 'failed',
  ERR_MODEL_ANSWER: 'failed',
};

/** Which outcome of spec 5 a terminal is. */
export function outcomeOf(terminal: Terminal): Outcome {
  if (terminal.kind !== 'fail') return 'served';
  const { code } = terminal;
  if (code === undefined || !isDoorErrorCode(code)) return 'failed';
  return outcomeByCode[code] ?? 'refused';
}
