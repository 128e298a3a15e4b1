import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topics } from '@doorledger/contracts';
import { acquireWriterLock, type LogPositions } from '@doorledger/event-log';
import { LedgerGenerations, rebuild } from '@doorledger/ledger';
import Database from 'better-sqlite3';
import { runCli } from './testing/run-cli.js';
import { appendRenewal, openWriter } from './testing/sample-log.js';

// Each command is a process of its own, and loads its sources.
jest.setTimeout(60_000);

let cwd: string;
let data: string;
/** A log of three facts and a ledger that has read them, with nobody running. */
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'doorledger-cli-'));
  data = join(cwd, 'data');
  const log = await openWriter(data);
  for (const n of [1, 2, 3]) await appendRenewal(log, n);
  const upTo: Record<string, number[]> = {};
  for (const topic of log.topics.keys()) upTo[topic] = (await log.ends(topic)).map(({ end }) => end);
  const { store } = new LedgerGenerations(data).openLive();
  await rebuild({ log, store, upTo });
  await store.close();
  await log.close();
});
afterEach(() => rmSync(cwd, { recursive: true }));

interface Printed {
  readonly isSwitched: boolean;
  readonly isEqual: boolean;
  readonly isSound: boolean;
  readonly live: { readonly generation: number; readonly sha256: string };
  readonly rebuilt: { readonly generation: number; readonly sha256: string };
  readonly positions: LogPositions;
}
const run = async (...args: string[]) => {
  const ended = await runCli(args, { cwd });
  return { ...ended, printed: (ended.stdout ? JSON.parse(ended.stdout) : undefined) as Printed };
};
const change = (file: string, statement: string) => new Database(join(data, file)).exec(statement).close();
const liveFile = () => `ledger.${readFileSync(join(data, 'ledger.current'), 'utf8').trim()}.db`;

it('X0 replays from the start of the log, prints both digests and leaves the live ledger alone', async () => {
  const { code, printed, stderr } = await run('replay');
  expect(code).toBe(0);
  expect(printed).toMatchObject({
    isEqual: true,
    isSwitched: false,
    live: { generation: 1 },
    rebuilt: { generation: 2, sha256: printed.live.sha256 },
  });
  expect(printed.positions[topics.session.name]!.reduce((sum, next) => sum + next)).toBe(3);
  expect(stderr).toContain('replay: 3 of 3 records');
  expect([liveFile(), existsSync(join(data, 'ledger.2.db'))]).toEqual(['ledger.1.db', false]);
});

it('X0 and X4 switch to the new generation when nobody runs, and mend a ledger that is not what the log says', async () => {
  change(liveFile(), 'update session set turns = 7');
  const differing = await run('replay');
  expect(differing).toMatchObject({ code: 1, printed: { isEqual: false, isSwitched: false } });
  expect(differing.stderr).toContain('doorledger replay --switch mends it');
  expect(await run('replay', '--switch')).toMatchObject({ code: 1, printed: { isEqual: false, isSwitched: true } });
  expect(liveFile()).toBe('ledger.2.db');
  expect(await run('verify', '--no-checkpoints')).toMatchObject({ code: 0, printed: { isSound: true, live: { generation: 2 } } });
});

it('X4 refuses to switch under a projector that writes the ledger and does not say where it listens', async () => {
  const lock = acquireWriterLock(data, 'ledger');
  const { code, stdout, stderr } = await run('replay', '--switch');
  lock.release();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('(ERR_DATA_IN_USE)');
  expect(liveFile()).toBe('ledger.1.db');
});

it('X4 switches through the process that runs here, and drops what it refuses', async () => {
  let status = 409;
  const server = createServer((_request, response) => response.writeHead(status).end('{"error":"Not now.","code":"ERR_BUSY"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(data, 'running.json'), JSON.stringify({ pid: 1, url: `http://127.0.0.1:${port}`, token: 'once' }));
  expect(await run('replay', '--switch')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/Not now\. \(ERR_BUSY\)\n$/) as string,
  });
  expect(existsSync(join(data, 'ledger.2.db'))).toBe(false);
  status = 200;
  expect(await run('replay', '--switch')).toMatchObject({ code: 0, printed: { isSwitched: true } });
  expect([liveFile(), existsSync(join(data, 'ledger.2.db'))]).toEqual(['ledger.1.db', true]);
  await new Promise((resolve) => server.close(resolve));
});

it('K6 names the first record that is not as it was written', async () => {
  expect((await run('verify', '--no-checkpoints')).code).toBe(0);
  change('log.db', 'update record set value = zeroblob(9) where place = (select place from record order by place limit 1 offset 1)');
  const { code, stdout, stderr } = await run('verify', '--no-checkpoints');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/session\.v1:\d:1 is .*\(ERR_LOG_CORRUPT\)\n$/);
});

it('K8 names the place at which the ledger has read past the end of the log', async () => {
  change(liveFile(), `update projection_offset set next = 9 where topic = '${topics.session.name}' and next > 0`);
  const { code, stderr } = await run('verify', '--no-checkpoints');
  expect(code).toBe(1);
  expect(stderr).toMatch(/offset 9, but the log ends at 3.*\(ERR_LEDGER_AHEAD\)\n$/);
});

it('V2 says that the ledger is not a replay of the log', async () => {
  change(liveFile(), 'delete from session');
  expect(await run('verify', '--no-checkpoints')).toMatchObject({ code: 1, printed: { isSound: false } });
});
