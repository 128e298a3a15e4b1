import type { SessionView } from '@doorledger/event-log';
import { isOwner, type Caller } from '../caller.js';

/** Whether a key of the session topic is the caller's own, as this host has read the log. */
export async function isOwnKey(view: Pick<SessionView, 'hold'>, key: string, caller: Caller): Promise<boolean> {
  const held = await view.hold(key);
  try {
    return isOwner(held.state.owner, caller);
  } finally {
    held.release();
  }
}
