/** What is known of the one `consent.spent` that a resume appended. */
export type SpendAppend =
  /** It never reached the log's client, or was refused there for certain. */
  | { readonly kind: 'never-appended' }
  /** The own tail met it: it stands, or was refused because another record does. */
  | { readonly kind: 'judged'; readonly stands: boolean }
  /** Acknowledged or on its way; its verdict is not read yet. */
  | { readonly kind: 'unanswered' }
  /** Its append is indefinite, and this is what a search for its claim id to the log's end found; nothing while none was made. */
  | { readonly kind: 'indefinite'; readonly found?: boolean }
  /** A decision was given, and no host of ours took it up. */
  | { readonly kind: 'not-taken-up' };

/** N30: whether the approval may have been used by this resume. In doubt, it was. */
export function mayHaveBeenUsed(append: SpendAppend): boolean {
  if (append.kind === 'indefinite') return append.found !== false;
  return append.kind !== 'never-appended';
}
