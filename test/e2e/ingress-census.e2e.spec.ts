import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partitionCounts, topics } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import type { CensusCheck, LifeCheck } from '@doorledger/ledger';
import { loadUntil, mixedLoad } from '../faults/census-kill-load.js';
import { PlacesOnLog, type LifeOnLog } from '../faults/places-on-log.js';
import { runCli, serve } from '../faults/served-process.js';

jest.setTimeout(120_000);
let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-census-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function livesOnLog(): Promise<LifeOnLog[]> {
  const counts = partitionCounts('embedded');
  const log = await openSqliteLog({ dir, role: 'reader', topics: counts });
  const places = new PlacesOnLog();
  for (const { name } of [topics.ingress, topics.system])
    for await (const { records } of log.read(name, Array<number>(counts.get(name)!).fill(0)))
      for (const record of records) places.see(record);
  await log.close();
  return places.lives();
}

const checkOf = async (url: string) => (await (await fetch(`${url}/v1/census/check`)).json()) as CensusCheck;

/** What the ledger has to say of a life that is over, by the log alone. */
const expectedOf = ({ bootId, issued, recorded, counted, missing }: LifeOnLog): Partial<LifeCheck> => ({
  bootId,
  issued,
  recorded,
  counted,
  unknown: missing.length,
  pending: 0,
  doubled: 0,
  addsUp: true,
});

it('E11 and E12 add up after kill -9 under load: unknown is what is really missing on the log', async () => {
  const killed = await serve(dir);
  await loadUntil({ url: killed.url }, 2000, () => killed.kill());
  const [life] = await livesOnLog();
  expect(life).toMatchObject({ doubled: [], overlapping: [], miscounted: 0 });
  expect(life!.recorded).toBeGreaterThan(100);
  expect(life!.missing.length).toBeGreaterThan(0);

  const next = await serve(dir);
  expect(await checkOf(next.url)).toMatchObject({ addsUp: true });
  const { items } = await checkOf(next.url);
  expect(items.find(({ bootId }) => bootId === life!.bootId)).toMatchObject({ state: 'ended', ...expectedOf(life!) });
  const census = (await (await fetch(`${next.url}/v1/census?by=outcome,door`)).json()) as { unknown: number; requests: number };
  expect([census.unknown, census.requests]).toEqual([life!.missing.length, life!.recorded + life!.counted]);
  await next.stop();

  const verified = await runCli(['verify', '--data', dir]);
  expect(verified.code).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({
    isSound: true,
    census: { addsUp: true, lives: 2, unknown: life!.missing.length, wrong: [] },
  });
});

it('E4, E6 and E12 account for every request that was answered when the process ends in good order', async () => {
  const served = await serve(dir);
  const stop = new AbortController();
  const onAnswer = (so: number) => {
    if (so >= 1500) stop.abort();
  };
  const answers = await mixedLoad({ url: served.url, onAnswer }, stop.signal);
  expect(await served.stop()).toBe(0);
  const lives = await livesOnLog();
  expect(lives).toHaveLength(1);
  expect(lives[0]).toMatchObject({ issued: answers, missing: [], doubled: [], overlapping: [], miscounted: 0 });
  expect(lives[0]!.recorded + lives[0]!.counted).toBe(answers);
  // What the projector had not read when it was told to end, it reads now.
  const next = await serve(dir);
  const { items } = await checkOf(next.url);
  expect(items.find(({ bootId }) => bootId === lives[0]!.bootId)).toMatchObject({ issued: answers, unknown: 0, pending: 0, addsUp: true });
  await next.stop();
  const { stdout } = await runCli(['verify', '--data', dir]);
  expect(JSON.parse(stdout)).toMatchObject({ isSound: true, census: { addsUp: true, unknown: 0 } });
});
