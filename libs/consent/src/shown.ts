/**
 * What a reader cannot see, or what makes text look like other text: control and format characters (direction changes among
 * them), line and paragraph separators, halves of surrogate pairs, everything drawn as nothing, and the blank Braille cell.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Each such character as `\uXXXX`, the way JSON writes it: of JSON text the result is the same JSON. */
export const escapeUnseen = (text: string): string => text.replace(UNSEEN, escapeOf);

/**
 * Somebody's text as an approver sees it (N51): on one line, everything visible, and never two texts alike. A backslash is
 * doubled, so that nobody can write an escape.
 */
export const shown = (text: string): string => escapeUnseen(text.replaceAll('\\', '\\\\'));

function escapeOf(character: string): string {
  let escaped = '';
  for (let i = 0; i < character.length; i++) escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escaped;
}
