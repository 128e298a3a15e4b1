/** Why a session id is not one (D12). The id itself is never echoed. */
export type SessionIdProblem = 'empty' | 'too-long' | 'invalid-character';

const MAX_UNITS = 400;

/** D12: 1–400 UTF-16 units, each 0x21–0x7E; undefined when `id` is one. */
export function sessionIdProblem(id: string): SessionIdProblem | undefined {
  if (id.length === 0) return 'empty';
  if (id.length > MAX_UNITS) return 'too-long';
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i);
    if (unit < 0x21 || unit > 0x7e) return 'invalid-character';
  }
  return undefined;
}
