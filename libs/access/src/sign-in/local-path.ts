const MAX = 1000;

/** Where a person is sent after signing in: a path of this deployment as it was asked for, or `/` for everything else. */
export function localPath(asked: unknown, origin: string): string {
  if (typeof asked !== 'string' || !asked.startsWith('/') || asked.length > MAX || !URL.canParse(asked, origin)) return '/';
  const { origin: found, pathname, search, hash } = new URL(asked, origin);
  // A path of two slashes would name another host once it stands alone.
  const isOurs = found === origin && !pathname.startsWith('//') && !pathname.startsWith('/auth/');
  return isOurs ? `${pathname}${search}${hash}` : '/';
}
