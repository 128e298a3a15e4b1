import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raceEmbedded } from './race-embedded.js';

jest.setTimeout(300_000);

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-race-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('N12, N20, N22 and N31 one approval runs one call once, however many decide while the process is killed', async () => {
  const { figures, violations } = await raceEmbedded({ dir, cycles: 2, seed: 6, maxMs: 12_000 });
  expect(violations).toEqual([]);
  expect(figures.requests).toBeGreaterThan(5);
  expect(figures.received).toBeGreaterThan(0);
});
