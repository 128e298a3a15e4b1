import { factByType } from './facts/index.js';

/** Whether a fact's type is the one a reader asks for, or of the family: `turn.*`. An unreadable record has none. */
export const isOfType = (pattern: string, type: string | undefined): boolean =>
  pattern.endsWith('*') ? type?.startsWith(pattern.slice(0, -1)) === true : type === pattern;

/** Whether any fact is of that type or family. */
export const isKnownType = (pattern: string): boolean => [...factByType.keys()].some((type) => isOfType(pattern, type));
