/** I2: what an `Authorization` header bears: the scheme `bearer` in any case, and something after it. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S.*)$/i.exec(authorization)?.[1]!.trimEnd();
}

export const SUBPROTOCOL = 'doorledger.v1';
const BEARER_PREFIX = 'doorledger.bearer.';

/**
 * I2: what the `Sec-WebSocket-Protocol` header of a browser offers and bears. A browser can send no `Authorization` with a handshake, so it
 * offers `doorledger.v1` and beside it `doorledger.bearer.<token>`, the token's UTF-8 in base64url without padding. `selected` is what the
 * answer selects: never the token. Without `doorledger.v1` nothing is read. A token that is no base64url is borne as it stands, so that it is refused
 * and not taken for none.
 */
export function bearerOfSubprotocols(header: string | undefined): { readonly bearer?: string; readonly selected?: typeof SUBPROTOCOL } {
  const offered = header?.split(',').map((entry) => entry.trim()) ?? [];
  if (!offered.includes(SUBPROTOCOL)) return {};
  const encoded = offered.find((entry) => entry.startsWith(BEARER_PREFIX))?.slice(BEARER_PREFIX.length);
  if (!encoded) return { selected: SUBPROTOCOL };
  const token = Buffer.from(encoded, 'base64url').toString().trim();
  return { selected: SUBPROTOCOL, bearer: token || encoded };
}
