import autocannon from 'autocannon';
import fastify from 'fastify';
import { compared, median, type Bench } from '../row.js';
import { cpuMicros, serve } from '../../test/faults/served-process.js';
import { inScratch } from '../scratch.js';

const CONNECTIONS = 64;
const SECONDS = 4;
const ROUNDS = 3;
const body = JSON.stringify({ input: 'hello' });

interface Loaded {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly answered: number;
  readonly refused: number;
}

async function load(url: string): Promise<Loaded> {
  const result = await autocannon({
    url,
    method: 'POST',
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { 'content-type': 'application/json' },
    body,
  });
  return {
    rate: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    answered: result['2xx'],
    refused: result.non2xx + result.errors,
  };
}

/** Echo turns at the door, record before reply, by turns with a bare Fastify echo in this process. */
export const echo: Bench = {
  name: 'echo',
  about: 'echo turns per second at the door, and CPU per turn',
  run: (say) =>
    inScratch(async (dir) => {
      const bare = fastify();
      bare.post('/invoke', (request) => ({ output: (request.body as { input: string }).input }));
      const bareUrl = await bare.listen({ host: '127.0.0.1', port: 0 });
      const served = await serve(dir);
      await load(`${served.url}/invoke`);
      const ours: (Loaded & { cpu: number })[] = [];
      const theirs: Loaded[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const before = cpuMicros(served.pid);
        const loaded = await load(`${served.url}/invoke`);
        ours.push({ ...loaded, cpu: (cpuMicros(served.pid) - before) / loaded.answered });
        theirs.push(await load(`${bareUrl}/invoke`));
        say(`round ${round + 1}: ${loaded.rate.toFixed(0)} turns/s, p50 ${loaded.p50} ms, p99 ${loaded.p99} ms, refused ${loaded.refused}`);
      }
      await served.stop();
      await bare.close();
      const note = `p50 ${median(ours.map((o) => o.p50))} ms, p99 ${median(ours.map((o) => o.p99))} ms, refused ${ours.reduce((n, o) => n + o.refused, 0)}`;
      const baseline = { name: 'bare Fastify echo, load and server in one process', value: median(theirs.map((t) => t.rate)) };
      return [
        compared(`echo turns, ${CONNECTIONS} connections`, median(ours.map((o) => o.rate)), 'turns/s', baseline, note),
        { name: 'CPU per echo turn', value: median(ours.map((o) => o.cpu)), unit: 'µs' },
      ];
    }),
};
