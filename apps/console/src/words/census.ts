import type { CensusItem } from '../data/types.js';

/** Outcomes of spec 5 in the order they are stacked, refusals first and served last; `undecided` is what no door judged. */
export const OUTCOMES = [
  'identity-refused',
  'admission-refused',
  'session-refused',
  'cross-site-refused',
  'refused',
  'verifier-unavailable',
  'failed',
  'undecided',
  'served',
] as const;
export type OutcomeName = (typeof OUTCOMES)[number];

export const outcomeName = ({ outcome }: Pick<CensusItem, 'outcome'>): OutcomeName =>
  OUTCOMES.find((name) => name === outcome) ?? 'undecided';

export const wordsOf = (name: OutcomeName): string => (name === 'undecided' ? 'no door decided' : name.replaceAll('-', ' '));

/** Epoch ms of each window's begin, and the requests of each outcome in it. */
export interface Series {
  readonly windows: readonly number[];
  readonly counts: ReadonlyMap<OutcomeName, readonly number[]>;
}

/** Counts by window and outcome as rows of numbers, windows without a request among them. */
export function seriesOf(items: readonly CensusItem[], from: number, to: number, windowMs: number): Series {
  const first = from - (from % windowMs);
  const windows = Array.from({ length: Math.max(1, Math.ceil((to - first) / windowMs)) }, (_, at) => first + at * windowMs);
  const counts = new Map(OUTCOMES.map((name) => [name, windows.map(() => 0)]));
  for (const item of items) {
    if (item.window === undefined) continue;
    const at = Math.floor((Date.parse(item.window) - first) / windowMs);
    const row = counts.get(outcomeName(item))!;
    if (row[at] !== undefined) row[at] += item.requests;
  }
  return { windows, counts };
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

export interface Cause {
  readonly cause: string;
  readonly outcome: OutcomeName;
  readonly door: string;
  readonly count: number;
  /** The same in the time before of the same length. */
  readonly before: number;
}

/** Why requests were not served, the most frequent cause first. */
export function causesOf(now: readonly CensusItem[], before: readonly CensusItem[]): Cause[] {
  const keyOf = (item: CensusItem) => [item.cause, item.outcome, item.door].join('|');
  const earlier = new Map(before.map((item) => [keyOf(item), item.requests]));
  return now
    .filter((item) => outcomeName(item) !== 'served')
    .map((item) => ({
      cause: item.cause ?? 'uncoded',
      outcome: outcomeName(item),
      door: item.door ?? 'no door',
      count: item.requests,
      before: earlier.get(keyOf(item)) ?? 0,
    }))
    .sort((a, b) => b.count - a.count || a.cause.localeCompare(b.cause));
}

/** `+223 %`, `−17 %`, `new`, `as before`. */
export function change({ count, before }: Pick<Cause, 'count' | 'before'>): string {
  if (before === 0) return 'new';
  const percent = Math.round(((count - before) / before) * 100);
  return percent === 0 ? 'as before' : `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString('en')} %`;
}

/** Share in percent, with a digit behind the point where it is neither none nor all. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '0 %';
  const share = (part / whole) * 100;
  return share === 0 || share === 100 ? `${share} %` : `${Math.min(99.9, Math.max(0.1, share)).toFixed(1)} %`;
}
