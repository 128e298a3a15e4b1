import { createHash } from 'node:crypto';
import { canonicalOf } from './canonical-json.js';
import type { MintedRequest } from './mint.js';
import { escapeUnseen } from './shown.js';

interface ArgumentsView {
  /** The canonical arguments, indented, every unseen character as an escape: still JSON, and the same JSON, unless it was cut. */
  readonly text: string;
  /** Hex SHA-256 of the canonical arguments, whole. */
  readonly digest: string;
}

/** What an approver sees of the arguments (N51). A view that was cut has no id to quote, so nothing can be approved by it. */
export type ApprovalView =
  | (ArgumentsView & { readonly isCut: false; readonly requestId: string })
  | (ArgumentsView & { readonly isCut: true; readonly requestId?: undefined });

/** @param maxChars UTF-16 units there is room for; without it, nothing is cut. */
export function approvalView({ requestId, call }: MintedRequest, maxChars = Infinity): ApprovalView {
  const canonical = canonicalOf(call.args);
  const text = indented(escapeUnseen(canonical));
  const digest = createHash('sha256').update(canonical, 'utf8').digest('hex');
  if (text.length <= maxChars) return { text, digest, isCut: false, requestId };
  return { text: text.slice(0, maxChars).replace(/[\ud800-\udbff]$/, ''), digest, isCut: true };
}

const STRING_OR_MARK = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/g;

/** JSON without spaces on many lines. Strings are passed whole, and the order of properties stays the canonical one. */
function indented(json: string): string {
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return json.replace(STRING_OR_MARK, (token, at: number) => {
    switch (token) {
      case '{':
      case '[':
        if (isEnd(json[at + 1])) return token;
        depth++;
        return token + line();
      case '}':
      case ']':
        if (isStart(json[at - 1])) return token;
        depth--;
        return line() + token;
      case ',':
        return token + line();
      case ':':
        return ': ';
      default:
        return token;
    }
  });
}

const isStart = (character: string | undefined): boolean => character === '{' || character === '[';
const isEnd = (character: string | undefined): boolean => character === '}' || character === ']';
