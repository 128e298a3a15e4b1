import { UnbindableError, type Unfaithful } from './errors.js';
import { faithfulCopy } from './faithful-copy.js';
import { isJsonObject, pointerTo, type JsonObject } from './json.js';
import { isNumberKept } from './number-text.js';

/**
 * Arguments that arrive as text, a model's for example, read only where parsing keeps what the text says (N4): no number
 * changed, no property named twice.
 * @returns a detached, deeply frozen object.
 * @throws UnbindableError its path starts with `/args`.
 */
export function parseArguments(text: string): JsonObject {
  const parsed = parse(text);
  new ArgumentText(text).check();
  const args = faithfulCopy(parsed, ['args']);
  if (!isJsonObject(args)) throw new UnbindableError('/args', 'not-an-object');
  return args;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnbindableError('/args', 'not-json');
  }
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;
const NUMBER = /-?\d[\d.eE+-]*/y;

/** What encloses the place that is read: an object with the names seen so far, or an array. */
type Enclosing = { readonly names: Set<string>; at: string | undefined } | { readonly names?: undefined; at: number };

/** One pass over text whose grammar JSON.parse has judged already: only what parsing loses is looked for. */
class ArgumentText {
  readonly #text: string;
  readonly #open: Enclosing[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  check(): void {
    const text = this.#text;
    for (let i = 0; i < text.length;) {
      const token = text[i]!;
      if (token === '"') i = this.#string(i);
      else if (token === '-' || (token >= '0' && token <= '9')) i = this.#number(i);
      else {
        this.#punctuation(token);
        i++;
      }
    }
  }

  #punctuation(token: string): void {
    const inner = this.#open.at(-1);
    if (token === '{') this.#open.push({ names: new Set(), at: undefined });
    else if (token === '[') this.#open.push({ at: 0 });
    else if (token === '}' || token === ']') this.#open.pop();
    else if (token === ',' && inner) {
      if (inner.names) inner.at = undefined;
      else inner.at++;
    }
  }

  #string(from: number): number {
    const [token, to] = this.#token(STRING, from);
    const inner = this.#open.at(-1);
    if (inner?.names && inner.at === undefined) {
      const name = (inner.at = JSON.parse(token) as string);
      if (inner.names.has(name)) this.#refuse('name-twice');
      inner.names.add(name);
    }
    return to;
  }

  #number(from: number): number {
    const [token, to] = this.#token(NUMBER, from);
    if (!isNumberKept(token)) this.#refuse('number-changed');
    return to;
  }

  #token(pattern: RegExp, from: number): [string, number] {
    pattern.lastIndex = from;
    const [token] = pattern.exec(this.#text)!;
    return [token, from + token.length];
  }

  #refuse(why: Unfaithful): never {
    throw new UnbindableError(pointerTo(['args', ...this.#open.map(({ at }) => at!)]), why);
  }
}
