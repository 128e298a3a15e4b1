import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raceSpends } from './spend-race.js';

jest.setTimeout(240_000);

it('N41 one approval runs one call once, though two processes that share only the adapter resume it at once', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-spends-'));
  try {
    const { figures, violations } = await raceSpends({ on: 'embedded', dir, approvals: 60 });
    expect(violations).toEqual([]);
    expect(figures.ran).toBe(60);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
