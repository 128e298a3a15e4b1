import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startIssuer, type Issuer } from '../../faults/flood-issuer.js';
import { runCli, serve, type Served } from '../../faults/served-process.js';
import { EVERYTHING, WatchedServer } from './watched-server.js';

jest.setTimeout(240_000);
const CALLS = 100;
const PEOPLE = ['first', 'second'];
const SESSIONS = ['s1', 's2'];

let dir: string;
let tool: WatchedServer;
let issuer: Issuer;
let served: Served;
const tokens = new Map<string, string>();

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-tools-'));
  mkdirSync(join(dir, 'wire'));
  [tool, issuer] = await Promise.all([WatchedServer.start(), startIssuer()]);
  for (const person of [...PEOPLE, 'reader']) tokens.set(person, await issuer.token(person, 3600));
  served = await start();
});
afterAll(async () => {
  await served.stop();
  await Promise.all([tool.stop(), issuer.close()]);
  rmSync(dir, { recursive: true, force: true });
});

/** What a client of the stdio server writes is kept in a file of its own, by its process. */
const stdio = () => ['sh', '-c', `tee "${join(dir, 'wire')}/$$" | "${process.execPath}" "${EVERYTHING}" stdio`];
const start = () =>
  serve(join(dir, 'data'), {
    ...issuer.settings,
    DOORLEDGER_TOOLS_SERVERS: JSON.stringify([
      { name: 'web', url: tool.url, scope: 'session' },
      { name: 'local', command: stdio(), scope: 'session' },
    ]),
  });

async function invoke(person: string, body: object): Promise<{ output?: string; code?: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${tokens.get(person)}` };
  const response = await fetch(`${served.url}/invoke`, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await response.json()) as { output?: string };
}
const echo = (server: string, message: string) => `/call ${server}.echo ${JSON.stringify({ message })}`;
const processes = () =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(join(dir, 'wire')));

interface Fact {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Facts of tool sessions on the log, partition by partition. */
async function toolFacts(): Promise<Fact[]> {
  const { stdout } = await runCli(['tail', '--topic', 'tool-session', '--no-follow', '--data', join(dir, 'data')]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: Fact }).event);
}

it('T2 and M24 open one upstream session per person and session, and never share it, over HTTP and stdio, 100 calls each', async () => {
  const lanes = PEOPLE.flatMap((person) => SESSIONS.map((name) => ({ person, session: `${person}-${name}` })));
  await Promise.all(
    lanes.map(async ({ person, session }) => {
      const label = `${person}/${session}`;
      for (let call = 0; call < CALLS; call += 10) {
        const lines = Array.from({ length: 5 }, () => `${echo('web', label)}\n${echo('local', label)}`).join('\n');
        const answer = await invoke(person, { sessionId: session, input: lines });
        expect(answer).toEqual({ output: Array.from({ length: 10 }, () => `Echo: ${label}`).join('\n') });
      }
    }),
  );
  const expected = lanes.map(({ person, session }) => [`${person}/${session}`]).sort();
  const overHttp = [...tool.echoes().values()];
  expect(overHttp.map((said) => [...new Set(said)]).sort()).toEqual(expected);
  expect(overHttp.map((said) => said.length)).toEqual(lanes.map(() => CALLS / 2));
  const overStdio = readdirSync(join(dir, 'wire'))
    .map((file) => [...readFileSync(join(dir, 'wire', file), 'utf8').matchAll(/"message":"([^"]+)"/g)].map(([, said]) => said!))
    .filter((said) => said.length > 0);
  expect(overStdio.map((said) => [...new Set(said)]).sort()).toEqual(expected);
  expect(overStdio.map((said) => said.length)).toEqual(lanes.map(() => CALLS / 2));
});

it('T21 ends a session’s tool sessions within a second of its close, and no other’s', async () => {
  expect(await invoke('first', { sessionId: 'first-s1', op: 'session-close' })).toMatchObject({ closed: true });
  const [gone] = [...tool.echoes()].find(([, said]) => said[0] === 'first/first-s1')!;
  for (const end = Date.now() + 2000; !tool.ended.has(gone) && Date.now() < end;) await sleep(20);
  expect(tool.ended).toContain(gone);
  expect(await invoke('second', { sessionId: 'second-s1', input: echo('web', 'second/second-s1') })).toEqual({
    output: 'Echo: second/second-s1',
  });
});

it('R2 and T40: after a stop each started one has one close with its reason, and nothing is left at the far side', async () => {
  await served.stop();
  const facts = await toolFacts();
  const started = facts.filter(({ type }) => type === 'tool-session.started').map(({ data }) => data.toolSessionId);
  const closed = facts.filter(({ type }) => type.startsWith('tool-session.close'));
  expect(started).toHaveLength(8);
  expect(closed.map(({ data }) => data.toolSessionId).sort()).toEqual([...started].sort());
  expect(closed.map(({ type, data }) => `${type} ${data.reason as string}`).sort()).toEqual([
    ...Array.from({ length: 2 }, () => 'tool-session.closed session-end'),
    ...Array.from({ length: 6 }, () => 'tool-session.closed shutdown'),
  ]);
  for (const session of tool.echoes().keys()) expect(tool.ended).toContain(session);
  expect(processes()).toEqual([]);
});

it('T40 closes what a killed host left open as host-lost, once, and leaves no process behind', async () => {
  served = await start();
  await invoke('first', { sessionId: 'first-s2', input: echo('local', 'first/first-s2') });
  expect(processes()).not.toEqual([]);
  const before = new Set((await toolFacts()).map(({ id }) => id));
  await served.kill();
  for (const end = Date.now() + 5000; processes().length > 0 && Date.now() < end;) await sleep(50);
  expect(processes()).toEqual([]);
  served = await start();
  let added: Awaited<ReturnType<typeof toolFacts>> = [];
  for (const end = Date.now() + 60_000; added.length === 0 && Date.now() < end; await sleep(500))
    added = (await toolFacts()).filter(({ id }) => !before.has(id));
  expect(added.map(({ type, data }) => `${type} ${data.reason as string}`)).toEqual(['tool-session.closed host-lost']);
});
