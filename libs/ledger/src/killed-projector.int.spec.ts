import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteLog } from '@doorledger/event-log';
import { replay } from './sqlite/replay.js';
import { LedgerGenerations } from './sqlite/generations.js';
import { sampleStory } from './testing/sample-story.js';

/** Runs the child until it has made this many commits, then kills it; resolves true when it came to its end before. */
function projectAndKill(dir: string, commits: number): Promise<boolean> {
  const child = spawn(process.execPath, [join(__dirname, 'testing/projecting-child.ts'), dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString();
      if (said.length >= commits) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', () => resolve(said.endsWith('done')));
  });
}

it('L9 keeps rows and places together however often the projector is killed', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-killed-'));
  const story = sampleStory(40);
  const log = await openSqliteLog({ dir, role: 'writer', topics: story.topics });
  try {
    for (const { topic, records } of story.batches())
      await log.append(
        topic,
        records.map(({ key, value, headers }) => ({ key, value: value!, headers })),
      );
    let kills = 0;
    while (!(await projectAndKill(dir, kills < 3 ? 5 + kills * 9 : Infinity))) kills++;
    expect(kills).toBe(3);
    expect(await replay({ log, generations: new LedgerGenerations(dir) })).toMatchObject({ isEqual: true });
  } finally {
    await log.close();
    rmSync(dir, { recursive: true });
  }
}, 60_000);
