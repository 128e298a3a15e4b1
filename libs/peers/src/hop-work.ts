import type { SessionView } from '@doorledger/event-log';
import type { PeerKey } from '@doorledger/privacy';
import type { TurnRunner } from '@doorledger/turns';
import type { HopAbort, HopAnswer, HopAsk } from './hop-message.js';
import type { PassCheck } from './hop-pass.js';
import type { HopSocket } from './hop-socket.js';

/** The holder's side of a hop. */
export type EdgeSocket = HopSocket<HopAnswer, HopAsk | HopAbort>;

/** What a holder needs once it serves. */
export interface HopWork {
  readonly key: PeerKey;
  readonly passes: PassCheck;
  /** Runs it here, and forwards nothing on: there is one hop. */
  readonly runner: Pick<TurnRunner, 'run' | 'resume'>;
  readonly view: Pick<SessionView, 'nextOf' | 'hold'>;
}
