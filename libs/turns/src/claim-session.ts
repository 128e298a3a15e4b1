import { rememberedTurn, type Claims, type Effect, type HeldSession, type VoidReason } from '@doorledger/event-log';
import { v7 as uuidv7 } from 'uuid';
import type { Run } from './lease.js';
import { RememberedKeyError, TurnError } from './turn-error.js';

export interface SessionClaim {
  readonly key: string;
  readonly turnId: string;
  readonly hostId: string;
  readonly bootId: string;
  readonly signer?: string;
  readonly tenantRef?: string;
  readonly idempotency?: { readonly key: string; readonly body: string };
  /** The paused request that this claim goes on with (N20). */
  readonly resumes?: string;
  /** Queue behind the standing run instead of being refused (R1). */
  readonly wait: boolean;
}

/** L7: a claim that is void only because another came between is made anew so many times. */
const TRIES = 5;

/**
 * Claims the session for one run and resolves when the fold says it stands, at once or from the queue (L5).
 * @throws TurnError by the first reason that the claim is void for; RememberedKeyError when an earlier turn had its idempotency key
 */
export async function claimSession(claim: SessionClaim, held: HeldSession, claims: Claims): Promise<Run> {
  const { key, turnId, hostId, bootId, signer, tenantRef, idempotency, resumes, wait } = claim;
  for (let tries = 0; tries < TRIES; tries++) {
    const runId = uuidv7();
    const queue = watchQueue(held, runId);
    try {
      const data = {
        turnId,
        runId,
        hostId,
        bootId,
        after: held.state.lastRunId,
        ...(signer && { signer }),
        ...(tenantRef && { tenantRef }),
        ...(idempotency && { idempotency }),
        ...(resumes !== undefined && { resumes }),
        ...(wait && { wait }),
      };
      const undo = { type: 'turn.failed', data: { turnId, runId, errorName: 'GivenUp', liveToolSessions: 0 } } as const;
      const [met] = await claims.append(key, [{ type: 'turn.claimed', data }], () => undo);
      const { verdict, record } = met!;
      if (verdict.stands) return { key, turnId, runId };
      if (verdict.waits) {
        if (await queue.outcome) return { key, turnId, runId };
        continue;
      }
      if (verdict.isIgnored || verdict.reason !== 'after') {
        if (!verdict.isIgnored && verdict.reason === 'key')
          throw new RememberedKeyError(rememberedTurn(met!.state, idempotency!.key, record.timestamp)!);
        throw refusal(verdict.isIgnored ? 'unreadable' : verdict.reason);
      }
    } finally {
      queue.close();
    }
  }
  throw refusal('busy');
}

/** Resolves true when the waiting run comes to stand, false when it leaves the queue. */
function watchQueue(held: HeldSession, runId: string): { readonly outcome: Promise<boolean>; close(): void } {
  let settle!: (stood: boolean) => void;
  const outcome = new Promise<boolean>((resolve) => (settle = resolve));
  const close = held.watch((effect: Effect) => {
    if (effect.kind === 'run-stood' && effect.runId === runId && effect.fromQueue) settle(true);
    if (effect.kind === 'left-queue' && effect.runId === runId) settle(false);
  });
  return { outcome, close };
}

/** The answer to a caller whose claim is void. Closed, foreign and missing sessions look the same (O3). */
export function refusal(reason: VoidReason): TurnError {
  switch (reason) {
    case 'closed':
    case 'signer':
      return new TurnError('ERR_SESSION_NOT_FOUND', 'There is no such session.');
    case 'not-paused':
      return new TurnError('ERR_NO_PENDING_ASK', 'Nothing waits for a decision here.');
    case 'paused':
      return new TurnError('ERR_AWAITING_DECISION', 'This session waits for a decision. Decide first, then go on.');
    case 'blocked':
      return new TurnError(
        'ERR_SESSION_BLOCKED',
        'A record of this session cannot be read. An operator can mend it with "doorledger repair".',
      );
    default:
      return new TurnError('ERR_CONCURRENT_RUN', 'A turn of this session is still running. Try again when it has ended.');
  }
}
