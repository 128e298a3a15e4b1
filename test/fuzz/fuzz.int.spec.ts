import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuzz } from './fuzz.js';

it('D6, D20, D22, C2, E11 and E12 hold under odd requests and frames: no crash, no failure that is not classified, a census that adds up', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-fuzz-'));
  const report = await fuzz({ dir, requests: 8000, seed: 3, maxMs: 12_000 });
  expect(report.violations).toEqual([]);
  expect(report.requests).toBeGreaterThan(500);
  expect(Object.keys(report.answers)).toEqual(expect.arrayContaining(['101', '200', '400', '401', '403', '404', '415', '421']));
  rmSync(dir, { recursive: true, force: true });
}, 120_000);
