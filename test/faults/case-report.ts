import type { Violation } from './history.js';

/** What one special case found. */
export interface CaseReport {
  /** Ms, unless the name says otherwise. */
  readonly figures: Readonly<Record<string, number>>;
  readonly answers?: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

export type Say = (line: string) => void;

export const rounded = (figures: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100]));
