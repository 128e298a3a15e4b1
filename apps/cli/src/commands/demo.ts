import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../../host/src/service.js';
import type { CommandContext, ExitCode } from '../command-context.js';
import type { Options } from '../command-line.js';
import { claimFolder } from '../demo/demo-config.js';
import { DemoDoor } from '../demo/demo-door.js';
import { playHour, playOn, playWaiting } from '../demo/play.js';
import type { Stage } from '../demo/scene.js';
import { shownBy } from '../demo/shown.js';
import { progressOn } from '../progress.js';
import type { StartApp, StartedApp } from '../started-app.js';
import { serve } from './serve.js';

/**
 * `doorledger up` on the demo's settings, and whoever would use it. Stays until a signal; with `--once` until the hour is over.
 * @throws DoorledgerError `ERR_DEMO`; what `up` throws
 */
export async function demo(context: CommandContext, { once, keepGoing, json }: Options): Promise<ExitCode> {
  const { config, output, say } = context;
  claimFolder(config.data);
  const stopping = new AbortController();
  let isOver!: () => void;
  const over = new Promise<void>((resolve) => (isOver = resolve));

  const play = async (stageOf: (round: number) => Stage): Promise<void> => {
    const stage = stageOf(0);
    await playHour(stage, progressOn(process.stderr, 'An hour', { unit: 'scenes' }), stopping.signal);
    const shown = await shownBy(stage.door);
    if (json) await output.json(shown);
    else
      say(
        `${shown.requests} requests. Consents: ${Object.entries(shown.consents)
          .map(([state, count]) => `${count} ${state}`)
          .join(', ')}.`,
      );
    if (once) return isOver();
    say(keepGoing ? 'Going on at a gentle rate; Ctrl-C ends it.' : 'It stays until Ctrl-C. Decide what waits, or look around.');
    if (keepGoing) await playOn((round) => stageOf(round + 1), stopping.signal);
  };

  const start: StartApp = async (config, logger) => {
    const app = await (await import('../../../standalone/src/start.js')).start(config, logger);
    const stageOf = stagesAt(app, stopping.signal);
    try {
      await playWaiting(stageOf(0));
    } catch (error) {
      await app.close();
      throw error;
    }
    return withTraffic(app, () => play(stageOf), stopping);
  };
  return serve(async () => ({ start }), config, over);
}

/** Sessions are named after the time of this start and the round, so that no two ever meet. */
function stagesAt({ url }: Service, signal: AbortSignal): (round: number) => Stage {
  const door = new DemoDoor(url, signal);
  const time = new Date().toISOString().slice(11, 19).replaceAll(':', '');
  return (round) => ({ door, named: (session) => `${session}-${time}${round === 0 ? '' : `-${round}`}` });
}

/** Plays beside the app, which fails as the play does, and stops playing before it closes. */
function withTraffic(app: Service, play: () => Promise<void>, stopping: AbortController): StartedApp {
  const playing = sleep(0).then(play);
  const failed = playing.then(
    () => app.failed,
    (error: unknown) => (stopping.signal.aborted ? app.failed : Promise.reject(error as Error)),
  );
  return {
    lines: [...app.lines.filter((line) => !/^(Try|Then)\b/.test(line)), 'Waiting     3 calls wait for your decision, and more is going on'],
    failed,
    close: async () => {
      stopping.abort();
      await playing.catch(() => undefined);
      await app.close();
    },
  };
}
