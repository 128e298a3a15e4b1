import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountingProxy } from './testing/counting-proxy.js';
import { OpenServers, contextOf, httpAt, settingsOf } from './testing/open-servers.js';

const root = join(__dirname, '../../..');
const everything = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const CALLS = 100;
const people = ['ada', 'bob'];
const sessions = ['one', 'two'];
let open: OpenServers | undefined;
afterEach(() => open?.close());

/** Two people, two conversations each, a hundred calls in each, all at once; every answer is the caller's own. */
async function callAll(server: string): Promise<void> {
  const one = async (principal: string, sessionId: string, n: number) => {
    const prepared = await open!.servers.prepare(contextOf({ principal, sessionId }), server, 'echo');
    const message = `${principal}/${sessionId}/${n}`;
    const end = await prepared.send({ message }, { signal: new AbortController().signal });
    prepared.release();
    expect(end).toMatchObject({ outcome: 'ok', text: `Echo: ${message}` });
  };
  const all = people.flatMap((person) => sessions.flatMap((session) => Array.from({ length: CALLS }, (_, n) => one(person, session, n))));
  await Promise.all(all);
}

function running(tag: string): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(tag);
    } catch {
      return false;
    }
  }).length;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe('server-everything', () => {
  it('M24 and M8 over a pipe: one process for each conversation of each person, none shared, none left', async () => {
    const tag = randomUUID();
    const transport = { kind: 'stdio' as const, command: process.execPath, args: [everything, 'stdio', tag], env: {} };
    open = new OpenServers([settingsOf({ name: 'every', transport })]);
    await open.servers.start();
    expect(running(tag)).toBe(0);
    await callAll('every');
    expect(running(tag)).toBe(4);
    expect(open.types().filter((type) => type === 'tool-session.started')).toHaveLength(4);
    expect(open.types().filter((type) => type === 'tool-session.reused')).toHaveLength(4 * CALLS - 4);
    await open.close();
    expect(running(tag)).toBe(0);
  });

  describe('over HTTP', () => {
    let process_: ChildProcess;
    let proxy: CountingProxy;
    beforeAll(async () => {
      const port = await freePort();
      process_ = spawn(process.execPath, [everything, 'streamableHttp'], {
        env: { ...process.env, NODE_OPTIONS: '', PORT: String(port) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await new Promise<void>((resolve) => process_.stderr?.on('data', (text: Buffer) => String(text).includes('listening') && resolve()));
      proxy = await new CountingProxy(`http://127.0.0.1:${port}/mcp`).listen();
    });
    afterAll(async () => {
      await proxy.close();
      process_.kill();
    });

    it('M11 and M24 one upstream session for each conversation of each person, and no call under another one’s', async () => {
      open = new OpenServers([settingsOf({ name: 'every', transport: httpAt(proxy.url) })]);
      await open.servers.start();
      await callAll('every');
      expect(proxy.initialized).toBe(1 + 4); // one to list
      expect(proxy.calls.size).toBe(4);
      for (const called of proxy.calls.values()) {
        expect(called).toHaveLength(CALLS);
        expect(new Set(called.map((message) => message.slice(0, 7))).size).toBe(1);
      }
      await open.tier.close();
      expect(proxy.deleted).toBe(5);
    });

    it('M1 and M8 files, structured content and progress come through', async () => {
      open = new OpenServers([settingsOf({ name: 'every', transport: httpAt(proxy.url) })]);
      await open.servers.start();
      const call = async (tool: string, args: Record<string, unknown>, onProgress?: () => void) => {
        const prepared = await open!.servers.prepare(contextOf(), 'every', tool);
        const end = await prepared.send(args, { signal: new AbortController().signal, ...(onProgress && { onProgress }) });
        prepared.release();
        return end;
      };
      expect(await call('get-tiny-image', {})).toMatchObject({ outcome: 'ok', files: [{ mimeType: 'image/png' }] });
      expect(await call('get-structured-content', { location: 'New York' })).toMatchObject({
        outcome: 'ok',
        structured: { temperature: expect.any(Number) },
      });
      const onProgress = jest.fn();
      expect(await call('trigger-long-running-operation', { duration: 0.4, steps: 4 }, onProgress)).toMatchObject({ outcome: 'ok' });
      expect(onProgress.mock.calls.length).toBeGreaterThanOrEqual(4);
    });
  });
});

it('M1 and M4 server-filesystem reads what is there and answers with an error for what is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'doorledger-files-'));
  writeFileSync(join(folder, 'note.txt'), 'a note');
  open = new OpenServers([
    settingsOf({ name: 'files', transport: { kind: 'stdio', command: process.execPath, args: [filesystem, folder], env: {} } }),
  ]);
  await open.servers.start();
  const prepared = await open.servers.prepare(contextOf(), 'files', 'read_text_file');
  const signal = new AbortController().signal;
  expect(await prepared.send({ path: join(folder, 'note.txt') }, { signal })).toMatchObject({ outcome: 'ok', text: 'a note' });
  expect(await prepared.send({ path: '/etc/passwd' }, { signal })).toMatchObject({ outcome: 'error', errorClass: 'ToolError' });
  prepared.release();
});
