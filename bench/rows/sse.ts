import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import fastify from 'fastify';
import { serve } from '../../test/faults/served-process.js';
import { compared, percentile, type Bench } from '../row.js';
import { inScratch } from '../scratch.js';

const STREAMS = 1000;
const WARM_UP = 200;

/** Ms from the request until the first bytes of its first frame. */
async function firstFrame(url: string, agent: Agent): Promise<number> {
  const at = performance.now();
  const asked = request(`${url}/invoke`, {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
  });
  asked.end('{"input":"hello"}');
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const ended = once(response, 'end');
  await once(response, 'data');
  const ms = performance.now() - at;
  response.resume();
  await ended;
  return ms;
}

/** One stream after the other, by turns with a bare Fastify that writes a frame at once; ours claims its turn on the log first. */
export const sse: Bench = {
  name: 'sse',
  about: 'from a request until the first frame of its event stream',
  run: () =>
    inScratch(async (dir) => {
      const served = await serve(dir);
      const bare = fastify();
      bare.post('/invoke', (_request, reply) => {
        reply.hijack();
        reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
        reply.raw.end('event: complete\ndata: {"output":"hello"}\n\n');
      });
      const bareUrl = await bare.listen({ host: '127.0.0.1', port: 0 });
      const agent = new Agent({ keepAlive: true });
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let i = 0; i < WARM_UP + STREAMS; i++) {
        ours.push(await firstFrame(served.url, agent));
        theirs.push(await firstFrame(bareUrl, agent));
      }
      agent.destroy();
      await served.stop();
      await bare.close();
      const row = (p: number, label: string) => {
        const baseline = { name: `bare Fastify ${label}`, value: percentile(theirs.slice(WARM_UP), p) };
        return compared(`first frame of a stream ${label}`, percentile(ours.slice(WARM_UP), p), 'ms', baseline);
      };
      return [row(0.5, 'p50'), row(0.99, 'p99')];
    }),
};
