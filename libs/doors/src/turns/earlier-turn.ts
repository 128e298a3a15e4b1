import { isPassing, type IdempotencyKey, type SessionView } from '@doorledger/event-log';
import { askLedger, type LedgerReader } from '@doorledger/ledger';
import { HOST_RESTARTED, type PendingAsk, type TurnContent } from '@doorledger/turns';
import { isDoorErrorCode } from '../wire/error-table.js';
import { failure, uncoded, type Terminal } from '../wire/terminal.js';

export interface EarlierTurnOptions {
  readonly view: Pick<SessionView, 'hold'>;
  readonly ledger: Pick<LedgerReader, 'turn'>;
  /** What a paused turn waits for. */
  readonly pendingOf: (key: string) => Promise<PendingAsk | undefined>;
  /** The answer of a completed turn. */
  readonly outputOf: TurnContent['outputOf'];
}

/** D18: the answer to a request whose idempotency key an earlier turn of the session had first. */
export async function answerOfEarlier(
  sessionKey: string,
  { turnId, body: first }: IdempotencyKey,
  body: string,
  options: EarlierTurnOptions,
): Promise<Terminal> {
  if (first === body) return endOfTurn(sessionKey, turnId, options);
  return failure('ERR_IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request: use a new one.', { turnId });
}

/** How a turn ended, as its caller heard or would have heard it; a refusal while it still runs. */
export async function endOfTurn(
  sessionKey: string,
  turnId: string,
  { view, ledger, pendingOf, outputOf }: EarlierTurnOptions,
): Promise<Terminal> {
  const held = await view.hold(sessionKey);
  try {
    const { run, waiting } = held.state;
    if (run?.turnId === turnId || waiting.some((w) => w.turnId === turnId))
      return failure('ERR_CONCURRENT_RUN', 'This turn is still running. Ask again when it has ended.', { turnId });
  } finally {
    held.release();
  }
  const end = await askLedger<Terminal>(async () => {
    const row = await ledger.turn(turnId);
    switch (row?.status) {
      case 'completed':
        return { kind: 'complete', output: await outputOf(sessionKey, turnId), turnId };
      case 'paused': {
        const ask = await pendingOf(sessionKey);
        if (ask?.turnId === turnId) return { kind: 'awaiting', status: 202, ask, turnId };
        return undefined;
      }
      case 'failed':
        return failedBefore(turnId, row.error_code, row.error_name);
      case 'abandoned':
        return abandoned(turnId);
      case 'closed':
        return failure('ERR_SESSION_NOT_FOUND', 'There is no such session.');
      default:
        return undefined;
    }
  });
  return end ?? failure('ERR_LEDGER_BEHIND', 'The ledger has not read this turn yet. Try again soon.', { turnId });
}

const abandoned = (turnId: string): Terminal =>
  failure('ERR_TURN_ABANDONED', 'The host of this turn was lost before the turn had ended.', { turnId });

/** Its error's class and code; its sentence was said once and is kept nowhere (L10). */
function failedBefore(turnId: string, code: string | null, errorName: string | null): Terminal {
  const sentence = 'This turn failed.';
  if (errorName === HOST_RESTARTED) return abandoned(turnId);
  const named = errorName !== null && { errorName };
  if (code !== null && isPassing(code)) return failure('ERR_LOG_UNAVAILABLE', sentence, { turnId, ...named });
  if (code !== null && isDoorErrorCode(code)) return failure(code, sentence, { turnId, ...named });
  return { ...uncoded(500, sentence), turnId, ...(code !== null && { code }), ...named };
}
