import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from './testing/run-cli.js';

// Each command is a process of its own, and loads its sources.
jest.setTimeout(60_000);

let cwd: string;
beforeAll(() => (cwd = mkdtempSync(join(tmpdir(), 'doorledger-cli-'))));
afterAll(() => rmSync(cwd, { recursive: true }));
const run = (...args: string[]) => runCli(args, { cwd });

it.each([
  [['up', '--prot', '1'], "doorledger: unknown option '--prot'; did you mean --port?\n"],
  [['tial'], "doorledger: unknown command 'tial'; did you mean tail?\n"],
  [['up', '--key', 'x'], /^doorledger: unknown option '--key'.*\n$/],
])('X4 answers %j with one sentence on stderr and exit code 2', async (args, sentence) => {
  expect(await run(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  });
});

it('K11 and X4 refuse to serve host and projector in one process where projectors share the ledger', async () => {
  const env = {
    DOORLEDGER_LOG: 'kafka',
    DOORLEDGER_KAFKA_BROKERS: '127.0.0.1:1',
    DOORLEDGER_STORE: 'postgres',
    DOORLEDGER_DATABASE_URL: 'postgres://127.0.0.1:1/ledger',
    DOORLEDGER_KEY: 'ab'.repeat(32),
  };
  expect(await runCli(['up', '--port', '0'], { cwd, env })).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^doorledger: .*start "doorledger host" and "doorledger projector".* \(ERR_NOT_EMBEDDED\)\n$/),
  });
});

it('K15 and X4 tell every wrong setting on stderr, one sentence each, and end with 1', async () => {
  writeFileSync(join(cwd, 'bad.yaml'), 'prot: 1\nlog: kafak\n');
  expect(await run('up', '--config', 'bad.yaml', '--port', 'x')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'doorledger: There is no setting prot (line 1 of bad.yaml); did you mean port?\n' +
      'doorledger: port must be a whole number from 0 to 65535 (flag --port).\n' +
      'doorledger: log must be one of `sqlite`, `kafka` (line 2 of bad.yaml).\n',
  });
});

it('X4 prints the configuration as one JSON document on stdout, warnings on stderr, and no secret', async () => {
  const env = { DOORLEDGER_KEY: 'ab'.repeat(32), DOORLEDGER_PROT: '1' };
  const { code, stdout, stderr } = await runCli(['config', 'print', '--port', '9000'], { cwd, env });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ port: 9000, key: '[secret]', data: join(cwd, 'data') });
  expect(stderr).toBe('doorledger: The environment variable DOORLEDGER_PROT is no setting and is ignored; did you mean DOORLEDGER_PORT?\n');
});

it('X4 prints with --origins one JSON document per setting', async () => {
  const { stdout } = await run('config', 'print', '--origins', '--door-path', '/ask');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toContainEqual({ setting: 'door.path', value: '/ask', origin: 'flag --door-path' });
  expect(lines).toContainEqual({ setting: 'port', value: 8080, origin: 'default' });
});
