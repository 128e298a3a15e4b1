/**
 * P7: whether the query of an address is percent-encoded UTF-8, and so the text that somebody meant. By itself a server reads U+FFFD for what
 * is not, and takes one id for another.
 */
export function isQueryText(url: string): boolean {
  const at = url.indexOf('?');
  try {
    decodeURIComponent(at === -1 ? '' : url.slice(at));
    return true;
  } catch {
    return false;
  }
}
