import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokersAway } from './brokers-away.js';
import { clusterFaults } from './cluster.js';
import { lateBroker } from './late-broker.js';
import { isKafkaThere } from './real-parts.js';

// Each starts a cluster of its own, on a machine that may be busy. What is a matter of milliseconds is judged by `npm run faults -- --on kafka --case broker-kill`.
jest.setTimeout(600_000);

const isThere = isKafkaThere() || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: faults of a cluster need Kafka. Run "node scripts/setup.mjs kafka" first.');
const onKafka = isThere ? describe : describe.skip;

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'doorledger-faults-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

onKafka('faults of a cluster', () => {
  it('R1, K3, K10, L2, L5, L7, N20, N22, T40, E5, E12, V2 and X0 hold for turns, calls and approvals on two hosts while parts are killed, stopped and cut off', async () => {
    const settings = { DOORLEDGER_CONCURRENCY: 'enqueue' };
    const report = await clusterFaults({ dir, hosts: 2, cycles: 8, seed: 13, maxMs: 15_000, longestMs: 4000, settings });
    expect(report.violations).toEqual([]);
    expect(report.cycles).toBeGreaterThanOrEqual(2);
    expect(report.acknowledged).toBeGreaterThan(5);
  });

  it('K15 and E7 hosts say that the brokers hang, tell every caller, and are well again without a restart', async () => {
    const { violations } = await brokersAway({ brokers: 1, hosts: 2, awayMs: 14_000 });
    expect(violations).toEqual([]);
  });

  it('K15 hosts and a projector that start before there is a broker come up with it', async () => {
    const { violations } = await lateBroker({ brokers: 1, hosts: 1, awayMs: 3_000 });
    expect(violations).toEqual([]);
  });
});
