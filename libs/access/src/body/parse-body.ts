/** The top-level fields of a request body, or why there are none. */
export type ParsedBody = { readonly fields: Readonly<Record<string, unknown>> } | { readonly problem: 'not-json' | 'repeated-key' };

const none = { fields: {} } as const;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** D17, D26: nothing, a JSON scalar or an array has no fields; what does not parse, or names a key twice, is refused. */
export function parseBody(body: Uint8Array | undefined): ParsedBody {
  if (!body || body.length === 0) return none;
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(body);
    value = JSON.parse(text);
  } catch {
    return { problem: 'not-json' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return none;
  const fields = value as Record<string, unknown>;
  // JSON.parse keeps the last of two equal keys; a member too many in the text tells.
  return Object.keys(fields).length === countMembers(text) ? { fields } : { problem: 'repeated-key' };
}

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** How many members the top-level object of a valid JSON text has: its colons outside strings at depth one. */
function countMembers(text: string): number {
  let depth = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    else if (c === COLON) members += depth === 1 ? 1 : 0;
    else if (c === 0x7b || c === 0x5b) depth++;
    else if (c === 0x7d || c === 0x5d) depth--;
  }
  return members;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  for (;;) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
}
