import { approvalView, mayDecide, type MintedRequest } from '@doorledger/consent';
import type { FactData } from '@doorledger/contracts';
import type { SessionView } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';
import type { earlierPause } from '@doorledger/turns';
import { deciderOf, type Caller } from '../caller.js';
import { isOwnKey } from './own-key.js';

export interface EarlierCallsOptions {
  readonly ledger: Pick<LedgerReader, 'consent' | 'approvedBefore'>;
  readonly view: Pick<SessionView, 'hold'>;
  readonly earlierPauseOf: ReturnType<typeof earlierPause>;
  /** Somebody else than the party was shown content (P4). */
  readonly onRead: (read: FactData<'content.read'>) => void;
}

/** So many are looked at for one that the caller may see. */
const MOST = 3;

/** Calls that were approved: for whoever may decide on them, as calls that wait (P4). */
export class EarlierCalls {
  constructor(private readonly options: EarlierCallsOptions) {}

  /** The last call of the same tool that was approved before this request was made; undefined where the caller may see none. */
  async before(requestId: string, caller: Caller): Promise<object | undefined> {
    const { ledger, view, earlierPauseOf, onRead } = this.options;
    const row = await ledger.consent(requestId);
    if (!row) return undefined;
    for (const { request_id, session_key, turn_id, tool_hash, settled_at } of await ledger.approvedBefore(row, MOST)) {
      if (turn_id === null) continue;
      const paused = await earlierPauseOf({ key: session_key, turnId: turn_id, requestId: request_id });
      if (!paused?.request) continue;
      const isOwn = await isOwnKey(view, session_key, caller);
      const { call } = paused.request;
      if (!isOwn && !mayDecide(deciderOf(caller), call.party, paused.terms.policy, true)) continue;
      if (!isOwn && caller.userRef !== undefined) onRead({ by: caller.userRef, sessionRef: session_key, what: 'arguments' });
      return {
        requestId: request_id,
        isSameTool: tool_hash === row.tool_hash,
        ...(settled_at !== null && { approvedAt: new Date(settled_at).toISOString() }),
        ...viewOf({ requestId: request_id, call }),
      };
    }
    return undefined;
  }
}

function viewOf(request: MintedRequest): { readonly text: string; readonly digest: string } {
  const { text, digest } = approvalView(request);
  return { text, digest };
}
