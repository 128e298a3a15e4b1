import type { HeldSession, SessionView } from '@doorledger/event-log';
import type { PausedTurn } from './paused-turn.js';
import { pendingAsk, type PendingAsk } from './pending-ask.js';

/** What a session waits for, as its asker sees it (N18); undefined where nothing waits, or it cannot be read. */
export function pendingReader(
  view: Pick<SessionView, 'hold'>,
  pauseOf: (key: string, held: HeldSession) => Promise<PausedTurn | undefined>,
): (key: string) => Promise<PendingAsk | undefined> {
  return async (key) => {
    const held = await view.hold(key);
    try {
      const { paused } = held.state;
      const stored = paused && (await pauseOf(key, held));
      return stored?.request?.pending.id === paused?.requestId && stored ? pendingAsk(paused.turnId, stored, paused.votes) : undefined;
    } finally {
      held.release();
    }
  };
}
