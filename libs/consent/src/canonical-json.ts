import canonicalize from 'canonicalize';
import { faithfulCopy } from './faithful-copy.js';
import type { Json } from './json.js';

/**
 * RFC 8785 (N3): one text for each JSON value, whoever writes it.
 * @throws UnbindableError for what JSON cannot write down faithfully (N4); its path starts at the value.
 */
export const canonicalJson = (value: unknown): string => canonicalOf(faithfulCopy(value));

/** The canonical text of what is known to be faithful. */
export const canonicalOf = (value: Json): string => canonicalize(value)!;

/** Whether two faithful values are the same JSON: a rule that hands back other arguments than the approved ones is seen here (N11). */
export const isSameJson = (a: Json, b: Json): boolean => canonicalOf(a) === canonicalOf(b);
