import { makeGuard } from '@doorledger/access';
import { RequestDoor, TurnStreams, httpDoor, type RequestDoorOptions, type Terminal } from '@doorledger/doors';
import autocannon from 'autocannon';
import fastify, { type FastifyInstance } from 'fastify';
import { compared, median, type Bench } from '../row.js';

const CONNECTIONS = 64;
const SECONDS = 3;
const ROUNDS = 5;

const listen = (server: FastifyInstance): Promise<string> => server.listen({ host: '127.0.0.1', port: 0 });

const answer: Terminal = { kind: 'sessions', body: { output: 'hello' } };
const nobody = () => Promise.reject(new Error('Nobody begins a conversation here.'));
const unrecorded: RequestDoorOptions = {
  composer: () => ({ serve: async () => answer, enter: nobody }),
  ingress: { file: async () => {}, fileRefusal: () => {} },
  durability: { served: 'buffered', refusals: 'buffered' },
  onUnexpected: (error) => {
    throw error;
  },
  now: Date.now,
};

/** The request door in front of work that answers at once and leaves no record. */
function doorAlone(): FastifyInstance {
  const server = fastify();
  httpDoor(server, {
    path: '/invoke',
    sessionHeader: 'x-session-id',
    references: () => {
      throw new Error('No cookie is made here.');
    },
    unavailable: () => undefined,
    guard: makeGuard({ bindHost: '127.0.0.1', contentType: true, trustedProxies: [] }),
    door: new RequestDoor(unrecorded),
    count: () => {},
    streams: new TurnStreams({ abandonedAfterMs: undefined, keptMs: 0 }),
    onHangup: 'abort',
    now: Date.now,
  });
  return server;
}

async function rateOf(url: string): Promise<number> {
  const result = await autocannon({
    url: `${url}/invoke`,
    method: 'POST',
    connections: CONNECTIONS,
    duration: SECONDS,
    workers: 1,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'hello', sessionId: 'a-session' }),
  });
  if (result.non2xx + result.errors > 0) throw new Error('Not every request was answered.');
  return result.requests.average;
}

/** Route, guard, body, grammar and the answer, by turns with a bare Fastify that parses the same body; the load has a thread of its own. */
export const route: Bench = {
  name: 'route',
  about: 'requests per second of the door by itself: route, guard, grammar, an answer at once, no record',
  run: async (say) => {
    const ours = doorAlone();
    const bare = fastify();
    bare.post('/invoke', () => ({ output: 'hello' }));
    const [oursUrl, bareUrl] = [await listen(ours), await listen(bare)];
    await rateOf(oursUrl);
    await rateOf(bareUrl);
    const rates: { ours: number; bare: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const pair = { ours: await rateOf(oursUrl), bare: await rateOf(bareUrl) };
      say(`round ${round + 1}: ${pair.ours.toFixed(0)} against ${pair.bare.toFixed(0)} requests/s`);
      rates.push(pair);
    }
    await ours.close();
    await bare.close();
    const baseline = { name: 'bare Fastify', value: median(rates.map((rate) => rate.bare)) };
    return [compared('door alone, no record', median(rates.map((rate) => rate.ours)), 'requests/s', baseline)];
  },
};
