import { setTimeout as sleep } from 'node:timers/promises';
import { whenReadiness, type AwayOptions } from './brokers-away.js';
import { rounded, type CaseReport } from './case-report.js';
import type { Violation } from './history.js';
import { post } from './post.js';
import { realCluster } from './real-parts.js';

const WELL_WITHIN_MS = 30_000;

/** Hosts and projectors that are started while no broker is there wait for them, say so, and come up by themselves. */
export async function lateBroker({ awayMs, say = () => {}, ...parts }: AwayOptions): Promise<CaseReport> {
  const cluster = await realCluster(parts);
  const { kafka, hosts, projectors } = cluster;
  const brokers = kafka.bootstrap.map((_, i) => i + 1);
  const nodes = [...hosts, ...projectors];
  const violations: Violation[] = [];
  try {
    for (const { name } of nodes) await cluster.kill(name);
    await Promise.all(brokers.map((id) => kafka.kill(id)));
    for (const { name } of nodes) cluster.start(name);
    say('hosts and projectors are started, no broker is');
    const startedAt = performance.now();
    const waiting = await Promise.all(nodes.map((node) => whenReadiness(node, 503, 30_000, /Waiting for Kafka/)));
    for (const [i, { at, problems }] of waiting.entries())
      if (Number.isNaN(at))
        violations.push({ rule: 'K15', what: `${nodes[i]!.name} does not say that it waits for Kafka: ${problems.join('; ')}` });
    for (const { name, url } of hosts) {
      const { status, code } = await post(`${url}/invoke`, { input: 'early' }, 10_000);
      if (status !== 503) violations.push({ rule: 'K15', what: `${name} answered ${status} ${code ?? ''} before there was a broker` });
    }
    await sleep(Math.max(0, awayMs - (performance.now() - startedAt)));
    await Promise.all(brokers.map((id) => kafka.restart(id)));
    const backAt = performance.now();
    say('every broker is there');
    const ready = await Promise.all(nodes.map((node) => whenReadiness(node, 200, WELL_WITHIN_MS * 2)));
    for (const [i, { at, problems }] of ready.entries())
      if (!(at - backAt <= WELL_WITHIN_MS))
        violations.push({ rule: 'K15', what: `${nodes[i]!.name} did not come up with the brokers: ${problems.join('; ')}` });
    for (const { name, url } of hosts) {
      const { status, text } = await post(`${url}/invoke`, { input: 'late' }, WELL_WITHIN_MS);
      if (status !== 200) violations.push({ rule: 'K15', what: `${name} answers ${status} when all is there: ${text.slice(0, 200)}` });
    }
    return { figures: rounded({ 'ready after, worst': Math.max(...ready.map(({ at }) => at)) - backAt }), violations };
  } finally {
    await cluster.stop();
  }
}
