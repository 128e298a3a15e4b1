/** One measured figure. */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the same machine did in the same run without us. */
  readonly baseline?: { readonly name: string; readonly value: number };
  /** value / baseline */
  readonly ratio?: number;
  readonly note?: string;
}

/** A group of figures that are measured together. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  run(say: (line: string) => void): Promise<BenchRow[]>;
}

export function compared(name: string, value: number, unit: string, baseline: { name: string; value: number }, note?: string): BenchRow {
  return { name, value, unit, baseline, ratio: value / baseline.value, ...(note && { note }) };
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);
