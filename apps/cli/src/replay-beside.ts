import type { EventLog } from '@doorledger/event-log';
import { replay, type Generations, type ReplayResult } from '@doorledger/ledger';
import { progressOn } from './progress.js';

/** Builds the next generation beside the live one and reads both digests, with a bar on stderr (X0). */
export async function replayBeside(log: EventLog, generations: Generations, say: (line: string) => void): Promise<ReplayResult> {
  const progress = progressOn(process.stderr, 'replay');
  let told: number | undefined;
  try {
    return await replay({
      log,
      generations,
      onProgress: ({ done, total }) => progress.update(done, total),
      onDigestProgress: (generation) => {
        if (told === generation) return;
        told = generation;
        progress.stop();
        say(`Reading the digest of generation ${generation}.`);
      },
    });
  } finally {
    progress.stop();
  }
}
