import { DoorledgerError } from '@doorledger/contracts';
import { unpackSession, type SessionState } from '@doorledger/event-log';
import { LedgerError } from '../errors.js';

/**
 * A row's packed state. What cannot be read is never taken for a fresh session (O4).
 * @throws LedgerError `ERR_LEDGER_UNREADABLE`, FoldVersionError
 */
export function readStoredState(packed: string): SessionState {
  try {
    return unpackSession(packed);
  } catch (cause) {
    if (cause instanceof DoorledgerError) throw cause;
    throw new LedgerError(
      'ERR_LEDGER_UNREADABLE',
      'A session row of the ledger is damaged: fold the log anew with doorledger replay --switch.',
      { cause },
    );
  }
}
