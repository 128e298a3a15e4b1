import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedFaults } from './embedded.js';

it('K3, L13, E5 and X0 hold under kill -9 at random points: nothing acknowledged is lost, a retry succeeds at once, digests are equal', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-faults-'));
  const report = await embeddedFaults({ dir, cycles: 12, seed: 20, maxMs: 45_000 });
  expect(report.violations).toEqual([]);
  expect(report.cycles).toBeGreaterThanOrEqual(3);
  expect(report.acknowledged).toBeGreaterThan(20);
  rmSync(dir, { recursive: true, force: true });
}, 180_000);
