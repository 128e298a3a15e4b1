import { sessionIdProblem } from './session-id.js';
import { failure, type Terminal } from './terminal.js';

/** A request that asks for a turn. */
export interface TurnRequest {
  readonly input: string;
  readonly sessionId?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body's fields as a turn (D10, D11, D12, D14, D15), in the order of D5: op, session id, then what is asked.
 * `headerSessionId` counts only when the body names no session by a string.
 */
export function readTurnRequest(fields: Fields, headerSessionId: string | undefined): TurnRequest | { readonly refused: Terminal } {
  if ('op' in fields) return { refused: failure('ERR_INVALID_WIRE_OP', 'Unknown op. This door serves turns: send {"input": "…"}.') };
  const sessionId = typeof fields.sessionId === 'string' ? fields.sessionId : headerSessionId;
  const problem = sessionId === undefined ? undefined : sessionIdProblem(sessionId);
  if (problem)
    return {
      refused: failure('ERR_INVALID_SESSION_ID', 'A session id is 1 to 400 characters from "!" to "~", without spaces.', {
        details: { reason: problem },
      }),
    };
  if ('decision' in fields) return { refused: failure('ERR_NO_PENDING_ASK', 'Nothing waits for a decision here.') };
  const input = typeof fields.input === 'string' ? fields.input : '';
  if (input === '') return { refused: failure('ERR_INVALID_RUN_INPUT', 'The message is empty: send {"input": "…"} with a text.') };
  return { input, ...(sessionId !== undefined && { sessionId }) };
}
