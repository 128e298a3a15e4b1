import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flood } from './flood.js';

it('E6 and E12 tell of every request of a flood exactly once, as a record or as a place in a count', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-flood-'));
  const { violations, answers } = await flood({ dir, seconds: 2 });
  expect(violations).toEqual([]);
  expect(answers![401]).toBe(3000);
  expect(answers![200]).toBeGreaterThan(0);
  rmSync(dir, { recursive: true, force: true });
}, 120_000);
