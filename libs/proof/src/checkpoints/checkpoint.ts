import { hash } from 'node:crypto';
import type { Chain } from '../chain/chain.js';

/** The chain of one partition up to, and without, offset `next`. */
export interface PartitionHead extends Chain {
  readonly topic: string;
  readonly partition: number;
  readonly next: number;
}

/** Names another checkpoint. */
export interface CheckpointRef {
  readonly series: string;
  readonly number: number;
  /** SHA-256 in hex of its signed text. */
  readonly sha256: string;
}

/** What a projector's ledger had read of the whole log at one moment (V1). */
export interface Checkpoint {
  readonly version: 1;
  /** UUIDv7 of one life of a projector; its checkpoints are numbered from 1 without gaps. */
  readonly series: string;
  readonly number: number;
  /** The one before; of the first in a series the newest one of the folder then, or null. */
  readonly previous: CheckpointRef | null;
  /** RFC 3339, the writer's clock: for people only, nothing is proven by it (V3). */
  readonly at: string;
  /** The log file's id or the Kafka cluster's id. */
  readonly place: string;
  readonly partitions: readonly PartitionHead[];
}

export const checkpointText = (checkpoint: Checkpoint): string => JSON.stringify(checkpoint);

/** @param text the checkpoint's signed text */
export const refOf = ({ series, number }: Checkpoint, text: string): CheckpointRef => ({ series, number, sha256: hash('sha256', text) });

/** Reads a signed text; undefined where it is no checkpoint of a kind that this release knows. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  let read: Partial<Checkpoint> | null;
  try {
    read = JSON.parse(text) as Partial<Checkpoint> | null;
  } catch {
    return undefined;
  }
  const isKnown = read?.version === 1 && typeof read.series === 'string' && isCount(read.number) && isRef(read.previous);
  return isKnown && Array.isArray(read!.partitions) && read!.partitions.every(isHead) ? (read as Checkpoint) : undefined;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isHash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isRef = (ref: CheckpointRef | null | undefined): boolean =>
  ref === null || (typeof ref?.series === 'string' && isCount(ref.number) && isHash(ref.sha256));

function isHead(head: Partial<PartitionHead> | null): boolean {
  return typeof head?.topic === 'string' && isCount(head.partition) && isCount(head.from) && isCount(head.next) && isHash(head.head);
}
