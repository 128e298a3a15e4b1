/** What one setting may hold: told in words once, checked once, and read once from the text of a flag or an environment variable. */
export interface Kind {
  /** Completes the sentence "must be …". Never quotes a value. */
  readonly allowed: string;
  accepts(value: unknown): boolean;
  /** A more exact end of that sentence for a value it does not accept. */
  why?(value: unknown): string | undefined;
  /** The value a text means. A text that means nothing comes back as it is and is refused by `accepts`. */
  fromText(text: string): unknown;
}

const asIs = (text: string) => text;

export function integer(min: number, max: number): Kind {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    accepts: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    fromText: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  };
}

export const yesOrNo: Kind = {
  allowed: '`true` or `false`',
  accepts: (value) => typeof value === 'boolean',
  fromText: (text) => (text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text),
};

export function choice(...values: readonly string[]): Kind {
  return {
    allowed: values.length === 1 ? `\`${values[0]}\`` : `one of ${values.map((value) => `\`${value}\``).join(', ')}`,
    accepts: (value) => typeof value === 'string' && values.includes(value),
    fromText: asIs,
  };
}

/** `pattern` must match the whole text. */
export function text(allowed: string, pattern: RegExp): Kind {
  return { allowed, accepts: (value) => typeof value === 'string' && pattern.test(value), fromText: asIs };
}

/** In YAML a list, elsewhere texts with commas between. Never empty. */
export function list(item: Kind, allowed: string): Kind {
  return {
    allowed,
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every((entry) => item.accepts(entry)),
    fromText: (value) => value.split(',').map((entry) => item.fromText(entry.trim())),
  };
}
