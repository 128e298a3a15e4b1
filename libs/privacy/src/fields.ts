/**
 * One text for a list of fields, such that different lists never give the same one: an absent field is `-`, a present one
 * its length, `:` and itself. Hash it as UTF-16: in UTF-8 all lone surrogates become one character.
 */
export function joinFields(fields: readonly (string | undefined)[]): string {
  let text = '';
  for (const field of fields) text += field === undefined ? '-' : `${field.length}:${field}`;
  return text;
}
