import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../progress.js';
import { decided, outcomes, waiting } from './consents.js';
import { everyday } from './everyday.js';
import { refusals } from './refusals.js';
import type { Scene, Stage } from './scene.js';

const ROUNDS = 4;
const PACE_MS = 60;
const GENTLE_MS = 1_500;

/** What waits for a decision: there at once. */
export async function playWaiting(stage: Stage): Promise<void> {
  for (const scene of waiting) await scene(stage);
}

/** As many requests as a small team sends in an hour, in half a minute. */
export async function playHour(stage: Stage, progress: Progress, signal: AbortSignal): Promise<void> {
  const scenes = hour();
  try {
    for (const [done, scene] of scenes.entries()) {
      await scene(stage);
      progress.update(done + 1, scenes.length);
      await sleep(PACE_MS, undefined, { signal });
    }
  } finally {
    progress.stop();
  }
}

/** One scene after the other, gently, until `signal`. */
export async function playOn(stageOf: (round: number) => Stage, signal: AbortSignal): Promise<void> {
  for (let round = 0; ; round++)
    for (const scene of spread([everyday, refusals.filter((_, i) => i % 4 === round % 4), decided.filter((_, i) => i % 3 === round % 3)])) {
      await scene(stageOf(round));
      await sleep(GENTLE_MS, undefined, { signal });
    }
}

function hour(): Scene[] {
  const rounds = Array.from({ length: ROUNDS }, () => everyday).flat();
  return spread([rounds, [...refusals, ...refusals.filter((_, i) => i % 2 === 0)], outcomes]);
}

/** Lists of different lengths as one, each spread evenly over it and in its own order. */
function spread(lists: readonly (readonly Scene[])[]): Scene[] {
  return lists
    .flatMap((list) => list.map((scene, i) => ({ scene, at: (i + 0.5) / list.length })))
    .sort((a, b) => a.at - b.at)
    .map(({ scene }) => scene);
}
