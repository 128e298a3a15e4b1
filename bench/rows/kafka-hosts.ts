import { cpuMicros } from '../../test/faults/served-process.js';
import { isKafkaThere, realCluster, type Cluster } from '../../test/faults/real-parts.js';
import { compared, median, type Bench, type BenchRow } from '../row.js';

const HOSTS = 3;
const ROUNDS = 3;
const TURNS = 600;
const CLIENTS = 16;

/** So many turns without a session, through all of these hosts alike. @returns CPU of the hosts per turn, µs */
async function cpuPerTurn(cluster: Cluster, hosts: number, turns: number): Promise<number> {
  const some = cluster.hosts.slice(0, hosts);
  const used = () => some.reduce((sum, { name }) => sum + cpuMicros(cluster.pid(name)), 0);
  const before = used();
  let asked = 0;
  const client = async () => {
    while (asked < turns) {
      const response = await fetch(`${some[asked++ % hosts]!.url}/invoke`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"input":"hello"}',
      });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`A turn was answered ${response.status}.`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (used() - before) / turns;
}

/**
 * What every further host costs: each reads the whole log. One cluster, with one, two and three hosts of it running, by turns; those that
 * do not run have ended. CPU time, not rates: a busy machine makes it noisy and not wrong.
 */
export const kafkaHosts: Bench = {
  name: 'kafka-hosts',
  about: 'CPU of all hosts per request, with one, two and three hosts in one run',
  run: async (say) => {
    if (!isKafkaThere()) {
      say('SKIPPED: there is no Kafka here. Run "node scripts/setup.mjs kafka" first; it needs java and mvn.');
      return [];
    }
    const cluster = await realCluster({ hosts: HOSTS, projectors: 1 });
    const measured = new Map<number, number[]>();
    try {
      // The first round warms all of them up.
      for (let round = 0; round <= ROUNDS; round++) {
        for (const { name } of cluster.hosts.slice(1)) await cluster.end(name);
        for (let hosts = 1; hosts <= HOSTS; hosts++) {
          if (hosts > 1) {
            const { name } = cluster.hosts[hosts - 1]!;
            cluster.start(name);
            await cluster.ready(name);
            await cpuPerTurn(cluster, hosts, TURNS / 4);
          }
          const micros = await cpuPerTurn(cluster, hosts, TURNS);
          say(`${hosts} hosts, round ${round}: ${micros.toFixed(0)} µs of CPU per request`);
          if (round > 0) measured.set(hosts, [...(measured.get(hosts) ?? []), micros]);
        }
      }
    } finally {
      await cluster.stop();
    }
    const one = median(measured.get(1)!);
    return Array.from({ length: HOSTS }, (_, i): BenchRow => {
      const value = median(measured.get(i + 1)!);
      return i === 0
        ? { name: 'CPU per request, 1 host', value, unit: 'µs' }
        : compared(`CPU per request, ${i + 1} hosts`, value, 'µs', { name: 'one host', value: one });
    });
  },
};
