import type { GrantPattern } from './grant-pattern.js';
import { isJsonObject, type Json, type JsonObject } from './json.js';

/** What a pattern allows beside the arguments a person saw: names of top-level arguments. */
export interface Looseness {
  /** May have another value. */
  readonly changed: readonly string[];
  /** May be missing. */
  readonly missing: readonly string[];
  /** Arguments of other names may be added. */
  readonly further: boolean;
}

const FURTHER = 'another-argument';
const OTHERS: readonly Json[] = [null, true, false, 0, 1, -1, '', 'another value', [], {}];

/**
 * What else a pattern would match (N52), found by trying neighbours of the arguments it was made from. All that is said is
 * so; something may be left unsaid, since no number of tries exhausts a schema.
 */
export function loosenessOf(pattern: GrantPattern, args: JsonObject): Looseness {
  const names = Object.keys(args);
  const changed = names.filter((name) => neighboursOf(args[name]!).some((other) => pattern.matches({ ...args, [name]: other })));
  const missing = names.filter((name) => pattern.matches(without(args, name)));
  const further = OTHERS.some((value) => pattern.matches({ ...args, [FURTHER]: value }));
  return { changed, missing, further };
}

function neighboursOf(value: Json): readonly Json[] {
  const others = OTHERS.filter((other) => typeof other !== typeof value || other !== value);
  if (typeof value === 'string') return [...others, `${value}x`, `x${value}`, value.slice(0, -1)].filter((other) => other !== value);
  if (typeof value === 'number') return [...others, value + 1, value - 1, value * 2].filter((other) => other !== value);
  if (Array.isArray(value))
    return [...others.filter((other) => !isEmpty(other) || value.length > 0), [...(value as readonly Json[]), null]];
  if (isJsonObject(value))
    return [...others.filter((other) => !isEmpty(other) || Object.keys(value).length > 0), { ...value, [FURTHER]: null }];
  return others;
}

const without = (args: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([other]) => other !== name));

const isEmpty = (value: Json): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
