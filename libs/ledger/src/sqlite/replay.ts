import type { EventLog, LogPositions } from '@doorledger/event-log';
import { ledgerDigest, type Digest } from '../digest.js';
import { readPlaces } from '../queries/places.js';
import { rebuild, type RebuildProgress } from '../rebuild.js';
import type { LedgerStore } from '../store.js';
import type { Generations, OpenGeneration } from '../generations.js';

export interface ReplayOptions {
  readonly log: EventLog;
  readonly generations: Generations;
  readonly onProgress?: (progress: RebuildProgress) => void;
  /** Rows read so far for a digest, and which generation's. */
  readonly onDigestProgress?: (generation: number, rows: number) => void;
  readonly signal?: AbortSignal;
}

export interface GenerationDigest extends Digest {
  readonly generation: number;
}

export interface ReplayResult {
  readonly live: GenerationDigest;
  readonly rebuilt: GenerationDigest;
  readonly isEqual: boolean;
  /** The places that both digests are of. */
  readonly positions: LogPositions;
}

/**
 * Builds the next generation up to exactly the live one's places and compares their digests (X0). The live one may be
 * written meanwhile: its places and digest are read in one snapshot. Nothing is switched.
 */
export async function replay({ log, generations, onProgress, onDigestProgress, signal }: ReplayOptions): Promise<ReplayResult> {
  const digestOf = async (store: LedgerStore, generation: number) =>
    store.snapshot(async (db) => ({
      positions: (await readPlaces(db, log.topics)).positions,
      digest: { generation, ...(await ledgerDigest(db, { signal, onProgress: (rows) => onDigestProgress?.(generation, rows) })) },
    }));
  const live = await generations.openLiveReader();
  const { digest, positions } = await digestOf(live.store, live.generation).finally(() => live.store.close());
  const next = await openWithin(positions, log, generations);
  try {
    await rebuild({ log, store: next.store, upTo: positions, onProgress, signal });
    const rebuilt = await digestOf(next.store, next.generation);
    await generations.rememberDigest({ ...rebuilt.digest, positions });
    return { live: digest, rebuilt: rebuilt.digest, isEqual: rebuilt.digest.sha256 === digest.sha256, positions };
  } finally {
    await next.store.close();
  }
}

/** An interrupted replay is gone on with, unless it is past the live places. */
async function openWithin(upTo: LogPositions, log: EventLog, generations: Generations): Promise<OpenGeneration> {
  const next = await generations.openNext();
  const { positions } = await readPlaces(next.store.db, log.topics);
  const isPast = Object.entries(positions).some(([topic, offsets]) => offsets.some((offset, p) => offset > upTo[topic]![p]!));
  if (!isPast) return next;
  await next.store.close();
  await generations.discard(next.generation);
  return generations.openNext();
}
