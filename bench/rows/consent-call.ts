import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { freePort } from '../../test/faults/free-port.js';
import { serve } from '../../test/faults/served-process.js';
import { compared, percentile, type Bench, type BenchRow } from '../row.js';
import { inScratch } from '../scratch.js';

/** A real tool server from npm. */
const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const ROUNDS = 200;
const WARM_UP = 20;

async function overHttp(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  while (!(await fetch(url).catch(() => undefined))) await sleep(50);
  return { url, child };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Per round, one after the other: a turn without a tool, the same turn with one call, and the SDK's own call. All in ms. */
async function rounds(url: string, server: string, client: Client): Promise<{ host: number[]; direct: number[]; added: number[] }> {
  const invoke = async (input: string) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/invoke`, { method: 'POST', headers, body: JSON.stringify({ input, sessionId: server }) });
    const { output } = (await response.json()) as { output?: string };
    if (output === undefined) throw new Error(`The turn was answered with ${response.status}.`);
  };
  const times = { host: [] as number[], direct: [] as number[], added: [] as number[] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const turn = await timed(() => invoke('hello'));
    const called = await timed(() => invoke(`/call ${server}.echo {"message":"hello"}`));
    const direct = await timed(() => client.callTool({ name: 'echo', arguments: { message: 'hello' } }));
    if (round < 0) continue;
    times.host.push(called - turn);
    times.direct.push(direct);
    times.added.push(called - turn - direct);
  }
  return times;
}

function rowsOf(transport: string, { host, direct, added }: Awaited<ReturnType<typeof rounds>>): BenchRow[] {
  return [0.5, 0.99].map((p) => {
    const at = `p${p * 100}`;
    const baseline = { name: `SDK call over ${transport}, ${at}`, value: percentile(direct, p) };
    const note = `added per round: ${percentile(added, p).toFixed(2)} ms`;
    return compared(`call through the host, ${transport}, ${at}`, percentile(host, p), 'ms', baseline, note);
  });
}

/** What a tool call takes through a host, its facts on the log before and behind it, against the SDK's call of the same server. */
export const consentCall: Bench = {
  name: 'tool-call',
  about: 'a tool call through the host (a turn with it less a turn without) against the SDK’s own, over HTTP and stdio',
  run: (say) =>
    inScratch(async (dir) => {
      const web = await overHttp();
      const command = [process.execPath, EVERYTHING, 'stdio'];
      const clients = await Promise.all(
        [
          new StreamableHTTPClientTransport(new URL(web.url)),
          new StdioClientTransport({ command: process.execPath, args: [EVERYTHING, 'stdio'], stderr: 'ignore' }),
        ].map(async (transport) => {
          const client = new Client({ name: 'bench', version: '1' });
          await client.connect(transport);
          return client;
        }),
      );
      const servers = [
        { name: 'web', url: web.url, scope: 'session' },
        { name: 'local', command, scope: 'session' },
      ];
      const served = await serve(dir, { DOORLEDGER_TOOLS_SERVERS: JSON.stringify(servers) });
      try {
        const rows: BenchRow[] = [];
        for (const [i, { name }] of servers.entries()) {
          const transport = name === 'web' ? 'HTTP' : 'stdio';
          rows.push(...rowsOf(transport, await rounds(served.url, name, clients[i]!)));
          say(`${ROUNDS} rounds over ${transport}`);
        }
        return rows;
      } finally {
        await served.stop();
        await Promise.all(clients.map((client) => client.close()));
        web.child.kill('SIGKILL');
      }
    }),
};
