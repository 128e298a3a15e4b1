import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended, said, start } from './testing/run-cli.js';

// Each command is a process of its own, and loads its sources.
jest.setTimeout(60_000);

const fake = (does: string, closeTimeoutMs = 60_000) =>
  start(join(__dirname, 'testing/serve-fake.ts'), [does], { cwd: tmpdir(), env: { DOORLEDGER_CLOSE_TIMEOUT_MS: String(closeTimeoutMs) } });

it.each(['SIGTERM', 'SIGINT'] as const)('R2 closes on one %s and ends with 0', async (signal) => {
  const child = fake('well');
  const end = ended(child);
  await said(child, 'Try: curl');
  child.kill(signal);
  const { code, stdout, stderr } = await end;
  expect({ code, stdout, closed: stderr.match(/closed once/g)?.length }).toEqual({ code: 0, stdout: '', closed: 1 });
});

it('R2 ends with 1 by a second signal when closing hangs', async () => {
  const child = fake('hangs in close');
  const end = ended(child);
  await said(child, 'Try: curl');
  child.kill('SIGTERM');
  await said(child, 'Closing');
  child.kill('SIGTERM');
  const { code, stderr } = await end;
  expect(code).toBe(1);
  expect(stderr).toContain('Ended by a second signal');
});

it('R2 ends with 1 when closing takes longer than its bound', async () => {
  const child = fake('hangs in close', 1);
  const end = ended(child);
  await said(child, 'Try: curl');
  child.kill('SIGTERM');
  const { code, stderr } = await end;
  expect(code).toBe(1);
  expect(stderr).toContain('Closing took too long');
});

it('R2 ends a start that still waits, within the same bound', async () => {
  const child = fake('hangs in start', 1);
  const end = ended(child);
  await said(child, 'starting');
  child.kill('SIGTERM');
  expect((await end).code).toBe(1);
});

it('K15 says in one sentence that a port is taken', async () => {
  expect(await ended(fake('port taken'))).toEqual({
    code: 1,
    stdout: '',
    stderr: 'doorledger: Port 8080 is taken: stop what listens there, or choose another with --port or --projector-port.\n',
  });
});
