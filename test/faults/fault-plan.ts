/** What is hit, and how. */
export type FaultKind =
  | 'broker-kill'
  | 'broker-pause'
  | 'broker-isr'
  | 'broker-disk'
  | 'host-kill'
  | 'host-pause'
  | 'host-cut-kafka'
  | 'host-cut-postgres'
  | 'host-clock'
  | 'projector-kill'
  | 'projector-pause'
  | 'postgres-kill';

interface Shape {
  readonly kind: FaultKind;
  /** In a hundred. */
  readonly share: number;
  /** Between these many ms away; short is more likely than long. */
  readonly away: readonly [shortest: number, longest: number];
}

/** A pause or a cut longer than 30 s outlives a lease. `broker-isr`: all brokers but one; `broker-disk`: at most so long until it ends. */
export const shapes: readonly Shape[] = [
  { kind: 'broker-kill', share: 14, away: [1000, 6000] },
  { kind: 'broker-pause', share: 10, away: [5000, 20_000] },
  { kind: 'broker-isr', share: 6, away: [2000, 15_000] },
  { kind: 'broker-disk', share: 5, away: [5000, 15_000] },
  { kind: 'host-kill', share: 16, away: [0, 3000] },
  { kind: 'host-pause', share: 10, away: [5000, 40_000] },
  { kind: 'host-cut-kafka', share: 8, away: [1000, 40_000] },
  { kind: 'host-cut-postgres', share: 5, away: [1000, 20_000] },
  { kind: 'host-clock', share: 6, away: [2000, 15_000] },
  { kind: 'projector-kill', share: 8, away: [0, 3000] },
  { kind: 'projector-pause', share: 4, away: [5000, 15_000] },
  { kind: 'postgres-kill', share: 8, away: [0, 3000] },
];

export interface PlannedFault {
  readonly kind: FaultKind;
  /** Which one of its kind, [0, 1). */
  readonly at: number;
  readonly awayMs: number;
  /** Begins while the one before is still away, if that is of another part of the system. */
  readonly overlaps: boolean;
  /** Before it and after it began, at least, ms. */
  readonly calmMs: number;
}

const OVERLAPPING = 0.25;

export interface PlanOptions {
  readonly random: () => number;
  /** No fault is longer. */
  readonly longestMs?: number;
  /** These only. */
  readonly kinds?: readonly FaultKind[];
}

/** Endless; the same for the same random numbers. */
export function* planFaults({ random, longestMs = Infinity, kinds }: PlanOptions): Generator<PlannedFault, never> {
  const chosen = kinds ? shapes.filter(({ kind }) => kinds.includes(kind)) : shapes;
  for (;;) {
    const { kind, away } = pick(chosen, random());
    const [shortest, longest] = away;
    yield {
      kind,
      at: random(),
      awayMs: Math.min(longestMs, shortest + (longest - shortest) * random() ** 2.5),
      overlaps: random() < OVERLAPPING,
      calmMs: 300 + 1700 * random(),
    };
  }
}

function pick(of: readonly Shape[], at: number): Shape {
  let left = at * of.reduce((sum, { share }) => sum + share, 0);
  return of.find(({ share }) => (left -= share) < 0) ?? of[0]!;
}

/** The part of the system that a fault hits: two of one part are never away at once. */
export const partOf = (kind: FaultKind): string => kind.slice(0, kind.indexOf('-'));
