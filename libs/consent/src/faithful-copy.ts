import { UnbindableError, type Unfaithful } from './errors.js';
import { hasLoneSurrogate, pointerTo, type Json, type JsonObject } from './json.js';

/** Nobody can be shown more, and what walks a value need not fear its own stack. */
const MAX_DEPTH = 200;

/**
 * A detached, deeply frozen copy of what JSON can write down faithfully (N4, N5). Each property is read once, so that what
 * was judged is what was copied. A property whose value is `undefined` is absent and `-0` is `0` (N3).
 * @param at where the value stands in its call; the start of the path of a refusal.
 * @throws UnbindableError
 */
export const faithfulCopy = (value: unknown, at: readonly (string | number)[] = []): Json => new Copier(at).copy(value);

/** The same of something stored or sent, which may be anything: never throws, and what is not faithful is `undefined`. */
export function tryFaithfulCopy(value: unknown): Json | undefined {
  try {
    return faithfulCopy(value);
  } catch {
    return undefined;
  }
}

class Copier {
  readonly #path: (string | number)[];
  readonly #above = new Set<object>();

  constructor(at: readonly (string | number)[]) {
    this.#path = [...at];
  }

  copy(value: unknown): Json {
    switch (typeof value) {
      case 'boolean':
        return value;
      case 'string':
        return hasLoneSurrogate(value) ? this.#refuse('lone-surrogate') : value;
      case 'number':
        if (!Number.isFinite(value)) return this.#refuse('not-finite');
        return value === 0 ? 0 : value;
      case 'object':
        return value === null ? null : this.#composite(value);
      default:
        return this.#refuse('not-plain');
    }
  }

  #composite(value: object): Json {
    if (this.#above.has(value)) return this.#refuse('cycle');
    if (this.#above.size >= MAX_DEPTH) return this.#refuse('too-deep');
    this.#above.add(value);
    const copied = Array.isArray(value) ? this.#array(value) : this.#object(value);
    this.#above.delete(value);
    return Object.freeze(copied);
  }

  #array(value: readonly unknown[]): readonly Json[] {
    // A prototype that is itself an array is Array.prototype of some realm; a subclass has another one.
    if (!Array.isArray(Object.getPrototypeOf(value))) return this.#refuse('not-plain');
    const copied: Json[] = [];
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      this.#path.push(i);
      copied.push(item === undefined ? this.#refuse('undefined-in-array') : this.copy(item));
      this.#path.pop();
    }
    // Names beside the places and `length`: JSON would drop them.
    return Reflect.ownKeys(value).length === value.length + 1 ? copied : this.#refuse('not-plain');
  }

  #object(value: object): JsonObject {
    const names = Object.keys(value);
    // Symbols and hidden properties: JSON would drop them.
    if (!isPlain(value) || Reflect.ownKeys(value).length !== names.length) return this.#refuse('not-plain');
    const copied: Record<string, Json> = {};
    for (const name of names) {
      this.#path.push(name);
      if (hasLoneSurrogate(name)) this.#refuse('lone-surrogate');
      const item = (value as Record<string, unknown>)[name];
      if (item !== undefined) put(copied, name, this.copy(item));
      this.#path.pop();
    }
    return copied;
  }

  #refuse(why: Unfaithful): never {
    throw new UnbindableError(pointerTo(this.#path), why);
  }
}

/** Also of another realm: its prototype is null, or the one at the root of them all. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf'));
}

/** Assigning `__proto__` would set the prototype instead. */
function put(target: Record<string, Json>, name: string, value: Json): void {
  if (name === '__proto__') Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
  else target[name] = value;
}
