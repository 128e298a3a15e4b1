import type { RequestId } from './request-ledger.js';

const ID = '"id":(\\d{1,16}|"(?:[^"\\\\]|\\\\.){0,128}")';
const atHead = new RegExp(`^\\{(?:"jsonrpc":"2\\.0",)?${ID}[,}]`);
const atTail = new RegExp(`[,{]${ID}\\}\\s*$`);

/**
 * The JSON-RPC id of a message of which only the beginning and the end are at hand. Certain or undefined: an `id` right after
 * the opening brace, or right before the closing one, is the message's own and no nested one.
 */
export function idOfEnds(head: string, tail: string): RequestId | undefined {
  const found = atHead.exec(head)?.[1] ?? atTail.exec(tail)?.[1];
  return found === undefined ? undefined : (JSON.parse(found) as RequestId);
}

const ENDS = 256;

/** The id of a `tools/call` in the body that is about to be sent; undefined for any other body (M11). Answers to a server's own requests have ids too. */
export function callIdOf(body: string): RequestId | undefined {
  // The client writes the method first and the id last: the arguments between them need not be walked again.
  if (body.startsWith('{"method":"tools/call"')) {
    const id = idOfEnds('', body.slice(-ENDS));
    if (id !== undefined) return id;
  }
  if (!body.includes('tools/call')) return undefined;
  try {
    const message = JSON.parse(body) as { method?: unknown; id?: unknown };
    const isCall = message.method === 'tools/call' && (typeof message.id === 'string' || typeof message.id === 'number');
    return isCall ? (message.id as RequestId) : undefined;
  } catch {
    return undefined;
  }
}
