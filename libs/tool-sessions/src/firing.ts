import type { CloseReason } from './cleanup.js';
import type { LiveSessions } from './live-sessions.js';
import type { ToolSession } from './tool-session.js';

/** Something after which tool sessions are of no use any more: spec 3, "What fires when". A pause is no such thing. */
export type Firing =
  /** A tool call settled: returned, threw, was declined. */
  | { readonly kind: 'call-end'; readonly callId: string }
  /** A turn ended or failed. It kept its id over its pauses, so this finds what each of its runs opened (T20). */
  | { readonly kind: 'turn-end'; readonly turnId: string }
  /** A paused request ended without a resume: closed or expired. */
  | { readonly kind: 'pause-ended'; readonly turnId: string }
  | { readonly kind: 'session-end'; readonly sessionRef: string; readonly reason: 'session-end' | 'revoked' | 'evicted' }
  | { readonly kind: 'user-revoked'; readonly userRef: string }
  | { readonly kind: 'shutdown' };

export interface Fired {
  readonly reason: CloseReason;
  /** In order of registration. */
  readonly sessions: readonly ToolSession[];
}

/** The firing matrix: which tool sessions an event ends, and what it is called then. */
export function firedBy(firing: Firing, live: LiveSessions): Fired {
  switch (firing.kind) {
    case 'call-end':
      return { reason: 'call-end', sessions: [...live.byCall.of(firing.callId)] };
    case 'turn-end':
    case 'pause-ended':
      return { reason: 'run-end', sessions: [...live.byTurn.of(firing.turnId)] };
    case 'session-end': {
      const sessions = [...live.bySession.of(firing.sessionRef)];
      return { reason: firing.reason, sessions: sessions.filter(firing.reason === 'evicted' ? isSessionScoped : endsBeforeShutdown) };
    }
    case 'user-revoked':
      return { reason: 'revoked', sessions: [...live.byPerson.of(firing.userRef)].filter(endsBeforeShutdown) };
    case 'shutdown':
      return { reason: 'shutdown', sessions: [...live.all()] };
  }
}

const isSessionScoped = ({ scope }: ToolSession): boolean => scope === 'session';
const endsBeforeShutdown = ({ scope }: ToolSession): boolean => scope !== 'shutdown';
