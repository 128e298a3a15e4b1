import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolDesk } from '../e2e/consent/tool-desk.js';
import { type Cluster, startCluster } from './cluster.mjs';

const isThere = existsSync('.cache/kafka') || process.env.REQUIRE_KAFKA !== undefined;
if (!isThere) console.warn('SKIPPED: the cluster needs Kafka. Run "node scripts/setup.mjs kafka" first.');

const CALLERS = 8;
/** Some while after each host is back, so that it has sessions of its own before the next one goes. */
const CALM_MS = 1500;

let cluster: Cluster;
let desk: ToolDesk;
/** As a balancer knows them: a host that was started again gets requests once it says that it is ready. */
const starting = new Set<string>();

/** What became of one request: the answer it ended with, and what sent it on to another host before. */
interface Sent {
  readonly answer: string;
  readonly sentOn: readonly string[];
}

const codeOf = (error: unknown): string => (error as { cause?: { code?: string } }).cause?.code ?? String(error);

/** One try at one host: its answer in a word, and whether a client sends the request on. */
async function attempt(url: string, key: string, body: object): Promise<{ readonly said: string; readonly goesOn: boolean }> {
  try {
    const response = await fetch(`${url}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    const { output, code } = (await response.json()) as { output?: string; code?: string };
    const said = response.status === 200 ? output! : `${response.status} ${code}`;
    return { said, goesOn: said === '503 ERR_HOST_CLOSED' };
  } catch (error) {
    return { said: codeOf(error), goesOn: true };
  }
}

/** As a client behind a balancer does it: the next host, with the same idempotency key, where one is closing or not there. */
async function send(first: number, body: object): Promise<Sent> {
  const key = randomUUID();
  const sentOn: string[] = [];
  for (let host = first; ; host++) {
    const { name, url } = cluster.hosts[host % cluster.hosts.length]!;
    if (starting.has(name)) continue;
    const { said, goesOn } = await attempt(url, key, body);
    if (!goesOn) return { answer: said, sentOn };
    sentOn.push(said);
    if (sentOn.length % cluster.hosts.length === 0) await sleep(100);
  }
}

(isThere ? describe : describe.skip)('three hosts that are restarted one after the other', () => {
  jest.setTimeout(300_000);
  beforeAll(async () => {
    desk = await ToolDesk.start();
    cluster = await startCluster({
      ...{ brokers: 1, projectors: 1, peers: true },
      settings: {
        DOORLEDGER_TOOLS_SERVERS: JSON.stringify([{ name: 'desk', url: desk.url, scope: 'session' }]),
      },
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    await desk?.stop();
  });

  it('R2 and L6 fail no request under load but by 503 ERR_HOST_CLOSED, which the client sends on, and run no call twice', async () => {
    const sent: Sent[] = [];
    const notes: string[] = [];
    let isOver = false;
    const caller = async (name: string) => {
      for (let n = 0; !isOver; n++) {
        const note = `${name}-${n}`;
        notes.push(note);
        const input = `/call desk.pay ${JSON.stringify({ note })}`;
        sent.push(await send(n, { sessionId: `${name}-${n % 2}`, input }));
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, i) => caller(`caller-${i}`));
    const codes: (number | NodeJS.Signals)[] = [];
    for (const { name } of cluster.hosts) {
      await sleep(CALM_MS);
      codes.push(await cluster.end(name));
      starting.add(name);
      cluster.start(name);
      await cluster.ready(name);
      starting.delete(name);
    }
    await sleep(CALM_MS);
    isOver = true;
    await Promise.all(callers);
    expect(codes).toEqual([0, 0, 0]);
    const words = new Set(sent.flatMap(({ sentOn }) => sentOn));
    expect([...words].filter((word) => !/^(503 ERR_HOST_CLOSED|ECONNREFUSED)$/.test(word))).toEqual([]);
    expect(sent.map(({ answer }) => answer).filter((answer) => !answer.startsWith('paid '))).toEqual([]);
    expect(notes.map((note) => desk.times(note)).filter((times) => times !== 1)).toEqual([]);
  });
});
