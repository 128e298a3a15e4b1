import { isoTime } from './iso-time.js';

/** Absent facts are absent keys. */
export function present<T extends Readonly<Record<string, unknown>>>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: Record<string, unknown> = {};
  for (const name in values) if (values[name] !== null && values[name] !== undefined) kept[name] = values[name];
  return kept as { [K in keyof T]?: NonNullable<T[K]> };
}

/** As `present`, with epoch ms as ISO times. */
export function presentTimes<K extends string>(values: Readonly<Record<K, number | null>>): { [N in K]?: string } {
  const kept: Record<string, string> = {};
  for (const [name, ms] of Object.entries<number | null>(values)) if (ms !== null) kept[name] = isoTime(ms);
  return kept as { [N in K]?: string };
}
