import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isKafkaThere } from '../real-parts.js';
import { raceEmbedded } from './race-embedded.js';
import { raceOnKafka } from './race-on-kafka.js';

jest.setTimeout(300_000);

const isThere = isKafkaThere() || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: races on a cluster need Kafka. Run "node scripts/setup.mjs kafka" first.');
const onKafka = isThere ? it : it.skip;

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-race-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

onKafka(
  'N12, N20, N22, N31 and N53 one approval runs one call once, however many decide through two hosts while those are killed and stopped',
  async () => {
    const parts = { brokers: 1, hosts: 2, projectors: 1, lanes: 12 };
    const { figures, violations } = await raceOnKafka({ dir, ...parts, consents: 60, seed: 4, maxMs: 15_000, longestMs: 5000 });
    expect(violations).toEqual([]);
    expect(figures.requests).toBeGreaterThan(5);
    expect(figures.received).toBeGreaterThan(0);
  },
);

it('N12, N20, N22 and N31 one approval runs one call once, however many decide while the process is killed', async () => {
  const { figures, violations } = await raceEmbedded({ dir, cycles: 2, seed: 6, maxMs: 12_000 });
  expect(violations).toEqual([]);
  expect(figures.requests).toBeGreaterThan(5);
  expect(figures.received).toBeGreaterThan(0);
});
