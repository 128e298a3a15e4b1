import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { partitionOf, type EventLog } from '@doorledger/event-log';
import { ended, runCli, startCli } from './testing/run-cli.js';
import { appendRenewal, openWriter } from './testing/sample-log.js';

// Each command is a process of its own, and loads its sources.
jest.setTimeout(60_000);

/** Where the sample records lie. */
const partition = partitionOf('00000000-0000-4000-8000-000000000001', 4);

let cwd: string;
let log: EventLog;
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'doorledger-cli-'));
  log = await openWriter(join(cwd, 'data'));
});
afterEach(async () => {
  await log.close();
  rmSync(cwd, { recursive: true });
});

const documents = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { event: { type: string; data: { runId: string } }; offset: number });

it('X4 tails the log read-only beside the process that writes it, one JSON document per line', async () => {
  for (const n of [1, 2, 3]) await appendRenewal(log, n);
  const { code, stdout, stderr } = await runCli(['tail', '--no-follow', '--type', 'turn.*'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(documents(stdout).map(({ offset, event }) => [offset, event.data.runId.at(-1)])).toEqual([
    [0, '1'],
    [1, '2'],
    [2, '3'],
  ]);
});

it('X4 follows the log until the pipe is closed, and then ends quietly', async () => {
  await appendRenewal(log, 1);
  const child = startCli(['tail', '--from', 'start'], { cwd });
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const lines = createInterface(child.stdout!);
  const [first] = (await once(lines, 'line')) as [string];
  const next = once(lines, 'line') as Promise<[string]>;
  await appendRenewal(log, 2);
  const [second] = await next;
  expect(documents(`${first}\n${second}`).map(({ offset }) => offset)).toEqual([0, 1]);
  lines.close();
  child.stdout!.destroy();
  const exit = once(child, 'exit') as Promise<[number]>;
  await appendRenewal(log, 3);
  expect([(await exit)[0], stderr]).toEqual([0, '']);
});

it('X4 lists the topics, one JSON document each', async () => {
  await appendRenewal(log, 1);
  const { code, stdout } = await runCli(['topics'], { cwd });
  expect(code).toBe(0);
  const listed = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string });
  expect(listed).toContainEqual(
    expect.objectContaining({ name: 'doorledger.session.v1', partitions: 4, records: 1, visible: 'public', holds: 'truth' }),
  );
  expect(listed).toContainEqual(expect.objectContaining({ name: 'doorledger.private.v1', records: 0, visible: 'private' }));
});

it('X4 exports the facts of public topics beside the process that writes them, to stdout or to a file', async () => {
  for (const n of [1, 2, 3]) await appendRenewal(log, n);
  const piped = await runCli(['export', '--format', 'jsonl', '--topic', 'session'], { cwd });
  expect([piped.code, documents(piped.stdout).map(({ event }) => event.data.runId.at(-1))]).toEqual([0, ['1', '2', '3']]);
  const written = await runCli(['export', '--from', `session:${partition}:1`, '--out', 'facts.jsonl'], { cwd });
  expect(written).toEqual({ code: 0, stdout: '', stderr: 'Wrote 2 facts.\n' });
  expect(documents(readFileSync(join(cwd, 'facts.jsonl'), 'utf8')).map(({ offset }) => offset)).toEqual([1, 2]);
});

it.each([
  [['--topic', 'private'], 'ERR_NOT_PUBLIC'],
  [['--topic', 'sesion'], 'ERR_NO_SUCH_TOPIC'],
  [['--out', 'no/such/folder'], 'ERR_EXPORT_FILE'],
])('X4 and O8 exports nothing with %j and says why', async (args, code) => {
  const ended = await runCli(['export', ...args], { cwd });
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(new RegExp(`\\(${code}\\)\\n$`)) as string });
});

it('K14 and X4 back up a running log into a folder that is there only when it is whole', async () => {
  await appendRenewal(log, 1);
  const { code, stdout } = await runCli(['backup', 'copy'], { cwd });
  expect([code, JSON.parse(stdout)]).toEqual([0, { to: 'copy', files: ['log.db'] }]);
  const copy = await runCli(['tail', '--no-follow', '--data', 'copy'], { cwd });
  expect(documents(copy.stdout)).toHaveLength(1);
  const again = await runCli(['backup', 'copy'], { cwd });
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('ERR_BACKUP_TARGET') as string });
});

it('X4 says in one sentence that there is no log yet, and ends with 1', async () => {
  const { code, stdout, stderr } = await ended(startCli(['tail'], { cwd, env: { DOORLEDGER_DATA: join(cwd, 'elsewhere') } }));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^doorledger: .*start doorledger.*\(ERR_FILE_MISSING\)\n$/);
});
