import type { KeyObject } from 'node:crypto';
import { readCheckpoint, refOf, type Checkpoint, type CheckpointRef, type PartitionHead } from '../checkpoints/checkpoint.js';
import type { CheckpointFolder, CheckpointPlace } from '../checkpoints/checkpoint-folder.js';
import { open } from '../checkpoints/envelope.js';
import type { Violation } from './violation.js';

export interface CheckpointsRead {
  readonly checkpoints: number;
  readonly violation?: Violation;
}

interface Opened {
  readonly checkpoint: Checkpoint;
  readonly ref: CheckpointRef;
}

/**
 * Reads every checkpoint of a folder, one at a time, and hands over what it was signed for. The first that is missing, or that none of the
 * keys has signed, ends it.
 */
export async function readCheckpoints(
  folder: CheckpointFolder,
  keys: readonly KeyObject[],
  onHead: (head: PartitionHead) => void,
): Promise<CheckpointsRead> {
  let checkpoints = 0;
  const wrong = (place: CheckpointPlace, why: string): CheckpointsRead => ({
    checkpoints,
    violation: { statement: 'checkpoints', sentence: `Checkpoint ${place.series}/${place.number} ${why}.`, positions: [] },
  });
  for (const series of await folder.series()) {
    let previous: CheckpointRef | undefined;
    for (const number of await folder.numbersOf(series)) {
      const expected = (previous?.number ?? 0) + 1;
      if (number !== expected) return wrong({ series, number: expected }, 'is missing');
      const opened = await openAt(folder, { series, number }, keys);
      if (!opened) return wrong({ series, number }, 'is not signed by a key that is trusted, or is not what its name says');
      const cited = opened.checkpoint.previous;
      if (previous ? !isSame(cited, previous) : cited && !isSame(cited, (await openAt(folder, cited, keys))?.ref))
        return wrong({ series, number }, 'names another one before it than the one that is there');
      for (const head of opened.checkpoint.partitions) onHead(head);
      previous = opened.ref;
      checkpoints++;
    }
  }
  return { checkpoints };
}

async function openAt(folder: CheckpointFolder, place: CheckpointPlace, keys: readonly KeyObject[]): Promise<Opened | undefined> {
  const envelope = await folder.read(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const text = open(envelope, keys);
  const checkpoint = text === undefined ? undefined : readCheckpoint(text);
  if (checkpoint?.series !== place.series || checkpoint.number !== place.number) return undefined;
  return { checkpoint, ref: refOf(checkpoint, text!) };
}

const isSame = (a: CheckpointRef | null, b: CheckpointRef | undefined): boolean =>
  a?.series === b?.series && a?.number === b?.number && a?.sha256 === b?.sha256;
