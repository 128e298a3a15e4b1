import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { ContentKeys, loadDeploymentKey, openSqliteKeyStore } from '@doorledger/privacy';
import { runCli, serve } from '../../test/faults/served-process.js';
import { compared, type Bench } from '../row.js';
import { inScratch } from '../scratch.js';
import { FACTS, FACTS_PER_TURN, writeTurns } from '../turns.js';

const CONNECTIONS = 16;
const QUIET_SECONDS = 10;
const LONGEST_SECONDS = 3600;

interface Load {
  readonly done: Promise<autocannon.Result>;
  stop(): void;
}

function load(url: string, duration: number): Load {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ input: 'hello' });
  let instance!: autocannon.Instance;
  const done = new Promise<autocannon.Result>((resolve, reject) => {
    instance = autocannon({ url: `${url}/invoke`, method: 'POST', connections: CONNECTIONS, duration, headers, body }, (error, result) =>
      error ? reject(error as Error) : resolve(result),
    );
  });
  return { done, stop: () => instance.stop() };
}

/** A replay that is taken into use while turns go on, on the embedded log: how fast it is, and what the doors notice. */
export const rebuildLive: Bench = {
  name: 'rebuild-live',
  about: 'replay --switch of a large ledger beside turns at the door: rate, and the door’s p99 meanwhile',
  run: (say) =>
    inScratch(async (dir) => {
      await writeLog(dir, say);
      const served = await serve(dir);
      await caughtUp(served.url);
      const aloneAt = performance.now();
      const alone = await replayed(dir, []);
      const aloneRate = (alone * 1000) / (performance.now() - aloneAt);
      const quiet = await load(served.url, QUIET_SECONDS).done;
      const busy = load(served.url, LONGEST_SECONDS);
      const startedAt = performance.now();
      const records = await replayed(dir, ['--switch']).finally(() => busy.stop());
      const rate = (records * 1000) / (performance.now() - startedAt);
      const during = await busy.done;
      await served.stop();
      const { non2xx, errors } = during;
      say(`${during.requests.average.toFixed(0)} turns/s beside the rebuild, ${quiet.requests.average.toFixed(0)} without`);
      const note = `${records.toLocaleString('en')} facts, both digests and the switch included; ${non2xx + errors} turns failed`;
      return [
        compared('rebuild beside live turns', rate, 'facts/s', { name: 'the same replay with no turns', value: aloneRate }, note),
        compared('p99 of a turn while the ledger is rebuilt', during.latency.p99, 'ms', { name: 'without', value: quiet.latency.p99 }),
      ];
    }),
};

/** A host refuses a log whose newest content is sealed under a key that its store does not have. */
async function writeLog(dir: string, say: (line: string) => void): Promise<void> {
  const log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
  const keys = openSqliteKeyStore(dir);
  const deploymentKey = loadDeploymentKey({ dir, mayCreate: true });
  const { keyId } = await new ContentKeys(deploymentKey, keys).keyFor({ kind: 'boot', ref: randomUUID() });
  await writeTurns(log, { turns: FACTS / FACTS_PER_TURN, keyId, say });
  await keys.close();
  await log.close();
}

async function caughtUp(url: string): Promise<void> {
  for (let lag = 1; lag > 0; await sleep(200)) lag = ((await (await fetch(`${url}/v1/log`)).json()) as { lag: number }).lag;
}

/** How many records it folded. */
async function replayed(dir: string, more: readonly string[]): Promise<number> {
  const { code, stdout, stderr } = await runCli(['replay', ...more, '--data', dir]);
  if (code !== 0) throw new Error(`doorledger replay ended with ${code}: ${stderr}`);
  const { positions } = JSON.parse(stdout) as { readonly positions: Readonly<Record<string, readonly number[]>> };
  return Object.values(positions)
    .flat()
    .reduce((sum, end) => sum + end, 0);
}
