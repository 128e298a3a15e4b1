/** A piece of somebody's text as it is drawn: as it is, or a chip that stands for what cannot be seen. */
export interface Piece {
  readonly text: string;
  /** What the chip stands for, in words; absent for text that is drawn as it is. */
  readonly unseen?: string;
  /** A line break of the text follows. */
  readonly breaks?: true;
}

/**
 * Control, format (direction changes among them) and private-use characters, separators, halves of surrogate pairs, what is drawn as nothing,
 * blanks other than the space, and marks that pile up past three.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}/u;
const EACH = new RegExp(UNSEEN, 'gu');

const names: Readonly<Record<number, string>> = {
  0x09: 'tab',
  0x0a: 'line break',
  0x0d: 'carriage return',
  0xa0: 'no-break space',
  0xad: 'soft hyphen',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of direction',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'isolate',
  0x2069: 'end of isolate',
  0xfeff: 'byte order mark',
};

/** A line break and a tab are drawn too, but nobody hides behind them. */
const PLAIN = new Set([0x09, 0x0a]);

function chip(code: number): Piece {
  if (code === 0x0a) return { text: '\\n', unseen: names[code]!, breaks: true };
  if (code === 0x09) return { text: '\\t', unseen: names[code]! };
  return { text: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`, unseen: names[code] ?? 'a character that cannot be seen' };
}

/** Somebody's text in the pieces it is drawn in. */
export function pieces(text: string): Piece[] {
  if (!UNSEEN.test(text)) return text === '' ? [] : [{ text }];
  const drawn: Piece[] = [];
  let from = 0;
  for (const { index, 0: character } of text.matchAll(EACH)) {
    if (index > from) drawn.push({ text: text.slice(from, index) });
    drawn.push(chip(character.codePointAt(0)!));
    from = index + character.length;
  }
  if (from < text.length) drawn.push({ text: text.slice(from) });
  return drawn;
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g;
const SHORT: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9 };

/** JSON text in pieces: an escape of what cannot be seen is a chip like the character itself, and `\\u202e` stays what it says. */
export function jsonPieces(json: string): Piece[] {
  if (!json.includes('\\')) return pieces(json);
  const drawn: Piece[] = [];
  let from = 0;
  const upTo = (end: number) => drawn.push(...pieces(json.slice(from, end)));
  for (const match of json.matchAll(ESCAPE)) {
    if (match.index < from) continue;
    const code = match[1] === undefined ? SHORT[match[2]!] : Number.parseInt(match[1], 16);
    if (code === undefined) continue;
    upTo(match.index);
    from = match.index + match[0].length;
    const low = /^\\u(d[c-f][0-9a-f]{2})/i.exec(json.slice(from, from + 6));
    if (code >= 0xd800 && code <= 0xdbff && low) {
      drawn.push(chip((code - 0xd800) * 0x400 + (Number.parseInt(low[1]!, 16) - 0xdc00) + 0x10000));
      from += 6;
    } else drawn.push(chip(code));
  }
  upTo(json.length);
  return drawn;
}

/** How many characters of these pieces nobody would have seen; line breaks and tabs do not count. */
export const unseenIn = (drawn: readonly Piece[]): number =>
  drawn.filter(({ unseen }) => unseen !== undefined && ![...PLAIN].some((code) => names[code] === unseen)).length;
