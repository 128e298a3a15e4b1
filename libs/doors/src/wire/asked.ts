import { isOp, opsSentence, type Op } from './ops.js';
import { sessionIdProblem } from './session-id.js';
import { failure, type Failure } from './terminal.js';

export type Fields = Readonly<Record<string, unknown>>;

/** What one request asks for, once its grammar is right. `sessionId` is absent where nothing names a session. */
export type Asked =
  | { readonly kind: 'turn'; readonly input: string; readonly sessionId?: string }
  | { readonly kind: 'decision'; readonly decision: unknown; readonly sessionId?: string }
  | { readonly kind: 'session-op'; readonly op: SessionOp; readonly sessionId?: string; readonly cursor?: string }
  | { readonly kind: 'artifact-op'; readonly op: ArtifactOp; readonly ref: string; readonly sessionId?: string };

export type ArtifactOp = 'artifact-head' | 'artifact-get';
export type SessionOp = Exclude<Op, ArtifactOp>;

const isArtifactOp = (op: Op): op is ArtifactOp => op === 'artifact-head' || op === 'artifact-get';
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/**
 * Reads a request's fields in the order of D5: op grammar, then the session id's bound. `elsewhere` is the session that a header, a
 * cookie or a query names; it counts only where the body names none by a string (D11). An op beats a decision, and a decision a
 * message, by being there at all (D14, D15).
 */
export function readAsked(fields: Fields, elsewhere: string | undefined): Asked | { readonly refused: Failure } {
  if ('op' in fields) return readOp(fields, elsewhere);
  const sessionId = text(fields.sessionId) ?? elsewhere;
  const refused = refusedId(sessionId);
  if (refused) return { refused };
  const session = sessionId !== undefined && { sessionId };
  if ('decision' in fields) return { kind: 'decision', decision: fields.decision, ...session };
  return { kind: 'turn', input: text(fields.input) ?? '', ...session };
}

function readOp({ op, ref, sessionId: named, cursor }: Fields, elsewhere: string | undefined): Asked | { readonly refused: Failure } {
  const sessionId = text(named) ?? elsewhere;
  const operand = isOp(op) && (isArtifactOp(op) ? text(ref) : op === 'session-list' ? op : sessionId);
  if (!isOp(op) || !operand || operand.trim() === '') return { refused: failure('ERR_INVALID_WIRE_OP', opsSentence) };
  const refused = refusedId(sessionId);
  if (refused) return { refused };
  const session = sessionId !== undefined && { sessionId };
  if (isArtifactOp(op)) return { kind: 'artifact-op', op, ref: operand, ...session };
  const page = text(cursor);
  return { kind: 'session-op', op, ...session, ...(page !== undefined && { cursor: page }) };
}

/** D12: the id itself is never echoed. */
function refusedId(sessionId: string | undefined): Failure | undefined {
  const reason = sessionId === undefined ? undefined : sessionIdProblem(sessionId);
  if (!reason) return undefined;
  return failure('ERR_INVALID_SESSION_ID', 'A session id is 1 to 400 characters from "!" to "~", without spaces.', { details: { reason } });
}
