import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isKafkaThere } from '../real-parts.js';
import { zombiesEmbedded } from './zombies-embedded.js';
import { zombiesOnKafka } from './zombies-on-kafka.js';

jest.setTimeout(300_000);

const isThere = isKafkaThere() || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere)
  console.warn('SKIPPED: hosts that are stopped between dispatch and send need Kafka. Run "node scripts/setup.mjs kafka" first.');
const onKafka = isThere ? it : it.skip;

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-zombies-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

onKafka(
  'L2, L3 and M4 no call is received twice or after its end, and every unknown is named, while hosts are stopped and others go on',
  async () => {
    const parts = { brokers: 1, hosts: 2, projectors: 1, sessions: 60 };
    const { figures, violations } = await zombiesOnKafka({ dir, ...parts, cycles: 1, seed: 3, shortestMs: 3000, longestMs: 8000 });
    expect(violations).toEqual([]);
    expect(figures.pauses).toBe(1);
    expect(figures['calls: ok']).toBeGreaterThan(10);
  },
);

it('L2, L3, L13 and M4 no call is received twice, and every unknown is named, when the process is killed with calls on their way', async () => {
  const { figures, violations } = await zombiesEmbedded({ dir, cycles: 2, seed: 5, maxMs: 12_000 });
  expect(violations).toEqual([]);
  expect(figures.kills).toBeGreaterThan(0);
  expect(figures.received).toBeGreaterThan(10);
});
