import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zombiesEmbedded } from './zombies-embedded.js';

jest.setTimeout(300_000);

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-zombies-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('L2, L3, L13 and M4 no call is received twice, and every unknown is named, when the process is killed with calls on their way', async () => {
  const { figures, violations } = await zombiesEmbedded({ dir, cycles: 2, seed: 5, maxMs: 12_000 });
  expect(violations).toEqual([]);
  expect(figures.kills).toBeGreaterThan(0);
  expect(figures.received).toBeGreaterThanOrEqual(figures.kills!);
});
