/** One line of indented JSON, as the server writes a call's arguments: a bracket, or a value, after its key if it has one. */
export interface JsonLine {
  /** How deep it stands. */
  readonly depth: number;
  /** Of the value that the line begins or holds: keys and indexes from the root, as JSON Pointer has them; absent on a closing line. */
  readonly path?: string;
  /** With its quotes and escapes. */
  readonly key?: string;
  /** The JSON text of a value on one line, or the bracket. */
  readonly value: string;
  readonly hasComma: boolean;
}

interface Container {
  readonly path: string;
  readonly isArray: boolean;
  next: number;
}

/** Where the string that begins at `from` ends: the index after its closing quote. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** The lines of indented JSON text, two spaces a level. */
export function jsonLines(text: string): JsonLine[] {
  const within: Container[] = [];
  return text.split('\n').map((line) => {
    const spaces = line.search(/[^ ]|$/);
    const depth = spaces / 2;
    const hasComma = line.endsWith(',');
    let rest = line.slice(spaces, hasComma ? -1 : undefined);
    if (rest === '}' || rest === ']') {
      within.pop();
      return { depth, value: rest, hasComma };
    }
    const parent = within.at(-1);
    let key: string | undefined;
    if (parent && !parent.isArray) {
      const end = endOfString(rest, 0);
      key = rest.slice(0, end);
      rest = rest.slice(end + 2);
    }
    const path = parent ? `${parent.path}/${key === undefined ? parent.next++ : pointerOf(key)}` : '';
    if (rest === '{' || rest === '[') within.push({ path, isArray: rest === '[', next: 0 });
    return { depth, path, ...(key !== undefined && { key }), value: rest, hasComma };
  });
}

const pointerOf = (key: string): string => (JSON.parse(key) as string).replaceAll('~', '~0').replaceAll('/', '~1');

const STRING_OR_SPACE = /"(?:[^"\\]|\\.)*"|\s+/g;

/** The canonical text (RFC 8785) that indented, escaped text stands for: what a digest of the arguments covers. */
export const canonicalOf = (text: string): string =>
  text.replace(STRING_OR_SPACE, (token) => (token[0] === '"' ? JSON.stringify(JSON.parse(token)) : ''));
