const ENCODINGS = ['br', 'gzip'] as const;

/** The best encoding there is of what `Accept-Encoding` allows; undefined for the plain bytes. A weight of 0 forbids (RFC 9110, 12.5.3). */
export function encodingOf(accepted: string | undefined, has: { readonly [E in (typeof ENCODINGS)[number]]?: unknown }) {
  const allowed = new Set(
    (accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((part) => part.trim().split(/\s*;\s*q=/))
      .filter(([, weight]) => weight === undefined || Number(weight) > 0)
      .map(([name]) => name),
  );
  return ENCODINGS.find((name) => allowed.has(name) && has[name] !== undefined);
}
