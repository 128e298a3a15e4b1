import autocannon from 'autocannon';
import { cpuMicros, serve, type Served } from '../../test/faults/served-process.js';
import { startIssuer, type Issuer } from '../../test/faults/flood-issuer.js';
import { median, type Bench, type BenchRow } from '../row.js';
import { inScratch } from '../scratch.js';

const CONNECTIONS = 64;
const SECONDS = 4;
const ROUNDS = 3;
const EXPIRED_S = -3600;

interface Kind {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly note: string;
}

const kindsOf = async (issuer: Issuer): Promise<readonly Kind[]> => [
  { name: 'refusal, no token', path: '/invoke', headers: {}, note: 'past 50/s a place in an exact count' },
  {
    name: 'refusal, expired token',
    path: '/invoke',
    headers: { authorization: `Bearer ${await issuer.token('somebody', EXPIRED_S)}` },
    note: 'past 50/s a place in an exact count; the signature is ES256',
  },
  {
    name: 'refusal, claimed user',
    path: '/invocations',
    headers: { 'x-amzn-bedrock-agentcore-runtime-user-id': 'somebody' },
    note: 'each a record of its own',
  },
];

interface Loaded {
  readonly cpu: number;
  readonly rate: number;
}

async function load({ url, pid }: Served, { path, headers }: Kind): Promise<Loaded> {
  const before = cpuMicros(pid);
  const result = await autocannon({
    url: url + path,
    method: 'POST',
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"input":"hello"}',
  });
  if (result['4xx'] === 0 || result['4xx'] !== result.requests.total) throw new Error('Not every request was refused.');
  return { cpu: (cpuMicros(pid) - before) / result.requests.total, rate: result.requests.average };
}

/** What a refused request costs the process: guard, body, grammar, identity, its place in the census and the answer. */
export const refusal: Bench = {
  name: 'refusal',
  about: 'CPU of the process per request that is answered 401',
  run: (say) =>
    inScratch(async (dir) => {
      const issuer = await startIssuer();
      const served = await serve(dir, { ...issuer.settings, DOORLEDGER_DOOR_AGENTCORE: 'true' });
      const rows: BenchRow[] = [];
      for (const kind of await kindsOf(issuer)) {
        await load(served, kind);
        const rounds: Loaded[] = [];
        for (let round = 0; round < ROUNDS; round++) rounds.push(await load(served, kind));
        const rate = Math.round(median(rounds.map((r) => r.rate)));
        say(`${kind.name}: ${rate.toLocaleString('en')} requests/s`);
        const note = `${rate.toLocaleString('en')} requests/s; ${kind.note}`;
        rows.push({ name: `CPU per ${kind.name}`, value: median(rounds.map((r) => r.cpu)), unit: 'µs', note });
      }
      await served.stop();
      await issuer.close();
      return rows;
    }),
};
