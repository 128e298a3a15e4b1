import type { References } from '@doorledger/privacy';
import { isMintedId } from './minted-id.js';

/** D13: cookie mode. */
export interface CookieSettings {
  readonly name: string;
  /** Behind TLS. */
  readonly secure: boolean;
}

/** The session that the cookie names; a value whose MAC fails counts as absent. */
export function sessionOfCookie(
  header: string | undefined,
  { name }: CookieSettings,
  references: Pick<References, 'mintedMac'>,
): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (pair.slice(0, at).trim() !== name) continue;
    const id = pair.slice(at + 1).trim();
    if (isMintedId(id, references)) return id;
  }
  return undefined;
}

/** The `Set-Cookie` of a session the host minted: nothing in it needs escaping. */
export const cookieOf = (id: string, { name, secure }: CookieSettings): string =>
  `${name}=${id}; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
