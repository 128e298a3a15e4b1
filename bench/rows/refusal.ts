import { join } from 'node:path';
import autocannon from 'autocannon';
import { startIssuer, type Issuer } from '../../test/faults/flood-issuer.js';
import { cpuMicros, serve, serveApart } from '../../test/faults/served-process.js';
import { compared, median, type Bench, type BenchRow } from '../row.js';
import { inScratch } from '../scratch.js';
import { startBare } from './bare.js';

const CONNECTIONS = 64;
const SECONDS = 3;
const ROUNDS = 3;
const EXPIRED_S = -3600;

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly note: string;
  /** Of the host's role alone, its projector a process apart; else both in one process. */
  readonly apart?: true;
}

const kindsOf = async (issuer: Issuer): Promise<readonly Kind[]> => [
  { name: 'no token, host’s role', path: '/invoke', headers: {}, note: 'past 50/s a place in an exact count', apart: true },
  { name: 'no token', path: '/invoke', headers: {}, note: 'as above, with the projector' },
  {
    name: 'expired token',
    path: '/invoke',
    headers: { authorization: `Bearer ${await issuer.token('somebody', EXPIRED_S)}` },
    note: 'as above, after an ES256 signature',
  },
  {
    name: 'claimed user',
    path: '/invocations',
    headers: { 'x-amzn-bedrock-agentcore-runtime-user-id': 'somebody' },
    note: 'each a record of its own',
  },
];

interface Refusals {
  /** CPU of the server per request, in µs. */
  readonly cpu: number;
  readonly rate: number;
}

async function refuseAll(url: string, pid: number, headers: Readonly<Record<string, string>>): Promise<Refusals> {
  const before = cpuMicros(pid);
  const { requests, ...result } = await autocannon({
    url,
    method: 'POST',
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"input":"hello"}',
  });
  if (requests.total === 0 || result['4xx'] !== requests.total) throw new Error('Not every request was refused.');
  return { cpu: (cpuMicros(pid) - before) / requests.total, rate: requests.average };
}

/** What a refused request costs the process: guard, body, grammar, identity, its place in the census and the answer. */
export const refusal: Bench = {
  name: 'refusal',
  about: 'CPU of the process per request that is answered 401, by turns with a bare Fastify that answers it',
  run: (say) =>
    inScratch(async (dir) => {
      const issuer = await startIssuer();
      const bare = await startBare();
      const settings = { ...issuer.settings, DOORLEDGER_DOOR_AGENTCORE: 'true' };
      const rows: BenchRow[] = [];
      for (const [i, { name, path, headers, note, apart }] of (await kindsOf(issuer)).entries()) {
        const served = await (apart ? serveApart : serve)(join(dir, String(i)), settings);
        const [ours, theirs]: [Refusals[], Refusals[]] = [[], []];
        await refuseAll(served.url + path, served.pid, headers);
        for (let round = 0; round < ROUNDS; round++) {
          ours.push(await refuseAll(served.url + path, served.pid, headers));
          theirs.push(await refuseAll(`${bare.url}/invoke`, bare.pid, headers));
        }
        await served.stop();
        const rate = `${Math.round(median(ours.map((o) => o.rate))).toLocaleString('en')} requests/s`;
        say(`${name}: ${rate}`);
        const baseline = { name: 'bare Fastify', value: median(theirs.map(({ cpu }) => cpu)) };
        rows.push(compared(`CPU per refusal, ${name}`, median(ours.map(({ cpu }) => cpu)), 'µs', baseline, `${rate}; ${note}`));
      }
      await bare.stop();
      await issuer.close();
      return rows;
    }),
};
