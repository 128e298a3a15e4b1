import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { compared, median, type Bench } from '../row.js';
import { rssMb, serve } from '../../test/faults/served-process.js';
import { inScratch } from '../scratch.js';

const STARTS = 5;
const REST_MS = 5000;

async function bareNodeMs(): Promise<number> {
  const at = performance.now();
  await new Promise((resolve) => spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).once('exit', resolve));
  return performance.now() - at;
}

export const start: Bench = {
  name: 'start',
  about: 'time to ready of a start on data that is there, and memory at rest',
  run: () =>
    inScratch(async (dir) => {
      await (await serve(dir)).stop();
      const ready: number[] = [];
      const bare: number[] = [];
      let rss = 0;
      for (let i = 0; i < STARTS; i++) {
        const served = await serve(dir);
        ready.push(served.readyMs);
        bare.push(await bareNodeMs());
        if (i === STARTS - 1) {
          await sleep(REST_MS);
          rss = rssMb(served.pid);
        }
        await served.stop();
      }
      return [
        compared('start to ready', median(ready), 'ms', { name: 'a bare node process', value: median(bare) }, `median of ${STARTS}`),
        { name: 'resident memory at rest', value: rss, unit: 'MB' },
      ];
    }),
};
