/** What a cookie of ours is set with; `path` where it is not every one. */
export interface CookieAttributes {
  readonly sameSite: 'Strict' | 'Lax';
  readonly secure: boolean;
  readonly path?: string;
  /** Whole seconds; 0 takes the cookie away. */
  readonly maxAge: number;
}

/** The `Set-Cookie` of a value that needs no escaping; no script of a page can read it. */
export const setCookie = (name: string, value: string, { sameSite, secure, path = '/', maxAge }: CookieAttributes): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;

/** The value of a cookie; undefined where it is not there, and where it is there twice, for then nobody can tell which one is ours. */
export function cookieNamed(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}
