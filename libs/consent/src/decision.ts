import { tryFaithfulCopy } from './faithful-copy.js';
import { isJsonObject, type Json } from './json.js';

/** A person's answer. Who gave it is never read from here. */
export interface Decision {
  /** The request it quotes; absent where it quotes none. */
  readonly requestId?: string;
  readonly approved: boolean;
  readonly note?: string;
  /** The answer to a question. */
  readonly value?: Json;
}

const FIELDS: ReadonlySet<string> = new Set(['requestId', 'approved', 'note', 'value', 'changes'] as const);

/**
 * A detached, frozen copy (N13), or `undefined` for what is not a decision at all: approval is never read out of anything
 * but `approved: true` or `false`, nor where another field stands beside it, whose writer may have meant another thing.
 */
export function readDecision(sent: unknown): Decision | undefined {
  const copy = tryFaithfulCopy(sent);
  if (!isJsonObject(copy) || !Object.keys(copy).every((field) => FIELDS.has(field))) return undefined;
  const { requestId, approved, note, value } = copy;
  if (typeof approved !== 'boolean' || (note !== undefined && typeof note !== 'string')) return undefined;
  return Object.freeze({
    ...(typeof requestId === 'string' && requestId !== '' && { requestId }),
    approved,
    ...(note !== undefined && { note }),
    ...(value !== undefined && { value }),
  });
}
