import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { OpenServers, contextOf, settingsOf, type SomeSettings } from './testing/open-servers.js';

const script = join(__dirname, 'testing/fault-stdio-child.ts');
const never = () => new AbortController().signal;
let open: OpenServers;

async function opened(args: readonly string[] = [], some: Partial<SomeSettings> = {}): Promise<void> {
  const transport = {
    kind: 'stdio' as const,
    command: process.execPath,
    args: [script, ...args],
    env: { NODE_OPTIONS: process.env['NODE_OPTIONS'] ?? '' },
  };
  open = new OpenServers([settingsOf({ name: 'pipe', transport, ...some })]);
  await open.servers.start();
}
afterEach(() => open.close());

async function call(tool: string, args: Record<string, unknown> = {}, options = {}) {
  const prepared = await open.servers.prepare(contextOf(), 'pipe', tool);
  const end = await prepared.send(args, { signal: never(), ...options });
  prepared.release();
  return end;
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

async function gone(...pids: number[]): Promise<void> {
  while (pids.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 20));
}

it('M8 ends the whole process group of a server with its session, children that ignore SIGTERM included', async () => {
  await opened();
  const end = await call('child');
  const pids = (end as { text: string }).text.split(' ').map(Number);
  expect(pids.map(isRunning)).toEqual([true, true]);
  await open.tier.close();
  await gone(...pids);
});

it('M5 ends a server that hears neither the closed pipe nor SIGTERM within the close bound', async () => {
  await opened(['deaf'], { closeMs: 900 });
  const [server = 0, child = 0] = ((await call('child')) as { text: string }).text.split(' ').map(Number);
  await open.tier.close();
  await gone(server, child);
});

it('M8 leaves no process of a server behind when the host is killed', async () => {
  await opened();
  const host = spawn(process.execPath, [join(__dirname, 'testing/stdio-host-child.ts'), script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(host.stdout, 'data')) as [Buffer];
  const pids = line.toString().trim().split(' ').map(Number);
  expect(pids.map(isRunning)).toEqual([true, true]);
  host.kill('SIGKILL');
  await gone(...pids);
});

it('M4 a call on a server that ends in the middle of it is unknown, its session closes upstream-gone, and the next one starts anew', async () => {
  await opened();
  expect(await call('exit')).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_CONNECTION_CLOSED' });
  expect(await call('ok')).toMatchObject({ outcome: 'ok', text: 'done' });
  await open.tier.settled();
  expect(open.facts.find((fact) => fact.type === 'tool-session.closed')?.data).toMatchObject({ reason: 'upstream-gone' });
});

it('M6 a line past the bound is never kept, and is said of the call it answered', async () => {
  await opened();
  expect(await call('large', { bytes: 100_000 })).toMatchObject({ outcome: 'error', errorClass: 'ERR_TOOL_RESULT_TOO_LARGE' });
  expect(await call('large', { bytes: 20_000_000 })).toMatchObject({ outcome: 'error', errorClass: 'ERR_TOOL_RESULT_TOO_LARGE' });
  expect(await call('ok')).toMatchObject({ outcome: 'ok' });
});

it('M6 gives a server nothing of the host’s environment but the harmless names and its own', async () => {
  process.env['DOORLEDGER_KEY'] = 'secret';
  await opened();
  const { names } = ((await call('env')) as { structured: { names: string[] } }).structured;
  expect(names).not.toContain('DOORLEDGER_KEY');
  expect(names).toContain('NODE_OPTIONS');
  delete process.env['DOORLEDGER_KEY'];
});

it('M5 and M12 ends a call that hangs within its bound, and one that is given up at once', async () => {
  await opened([], { idleMs: 300 });
  expect(await call('hang')).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_TOOL_CALL_TIMEOUT' });
  const aborting = new AbortController();
  const ended = call('hang', {}, { signal: aborting.signal });
  setTimeout(() => aborting.abort(), 50);
  expect(await ended).toMatchObject({ outcome: 'cancelled' });
});

it('M8 and M11 hears progress over a pipe, and takes no answer to another id', async () => {
  await opened();
  const seen: unknown[] = [];
  expect(await call('progress', {}, { onProgress: (progress: unknown) => seen.push(progress) })).toMatchObject({ outcome: 'ok' });
  expect(seen).toEqual([{ progress: 1 }, { progress: 2 }, { progress: 3 }]);
  expect(await call('text-id')).toMatchObject({ outcome: 'unknown', errorClass: 'ERR_ANSWER_MISMATCHED' });
});

it('M2 a list that changed is read again: every changed tool is a fact, and the session keeps the definition it was opened with', async () => {
  await opened();
  const before = open.servers.tools().find(({ tool }) => tool === 'ok')?.hash;
  await call('change');
  while (!open.types().includes('tool.changed')) await new Promise(setImmediate);
  const after = open.servers.tools().find(({ tool }) => tool === 'ok')?.hash;
  expect(after).not.toBe(before);
  const changed = open.facts.filter((fact) => fact.type === 'tool.changed').map(({ data }) => data);
  expect(changed).toContainEqual({ server: 'pipe', tool: 'ok', from: before, to: after });
  const pinned = await open.servers.prepare(contextOf(), 'pipe', 'ok');
  expect(pinned.toolHash).toBe(before);
  pinned.release();
  const fresh = await open.servers.prepare(contextOf({ sessionId: 's2' }), 'pipe', 'ok');
  // A process of its own, which has changed nothing: what it lists counts, not what another one said.
  expect(fresh.toolHash).toBe(before);
  fresh.release();
});

it('M5 works with a server that ends at a question of the newer protocol', async () => {
  await opened(['old']);
  expect(await call('ok')).toMatchObject({ outcome: 'ok' });
  expect(open.troubles).toEqual([]);
});

it('M5 says that a command is not there, at once', async () => {
  open = new OpenServers([
    settingsOf({ name: 'pipe', transport: { kind: 'stdio', command: 'no-such-command', args: [], env: {} }, closeMs: 60_000 }),
  ]);
  await open.servers.start();
  expect(open.troubles).toEqual([expect.stringContaining('ENOENT')]);
});

it('M5 says that a server does not answer, within the connect bound, and starts without it', async () => {
  await opened(['mute'], { connectMs: 900, closeMs: 600 });
  expect(open.troubles).toEqual([expect.stringMatching(/"pipe" could not be reached/)]);
  expect(open.servers.tools()).toEqual([]);
  await expect(open.servers.prepare(contextOf(), 'pipe', 'ok')).rejects.toMatchObject({ code: 'ERR_TOOL_UNKNOWN' });
});
