import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../../faults/served-process.js';
import { codeOf, upOn } from '../data-folder.js';
import { ConsentWorld } from '../consent/consent-world.js';

jest.setTimeout(240_000);

let world: ConsentWorld;
beforeAll(async () => (world = await ConsentWorld.start({ gates: { gate: {} } })));
afterAll(() => world.stop());

/** What `verify` finds of a folder: the digest of its ledger, which equals a replay. A backup is older than the newest checkpoint. */
async function digestOf(dir: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(['verify', '--no-checkpoints', '--data', dir]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { live: { sha256: string } }).live.sha256;
}

it('X1 and K14 back up a running process, restore into an empty folder, and go on there: same digest, and who waited decides', async () => {
  const restored = join(world.dir, 'restored');
  const [early, late] = [join(world.dir, 'early'), join(world.dir, 'late')];
  await world.say('ann', 'first', 'hello');
  expect((await runCli(['backup', early, '--data', world.data])).code).toBe(0);
  const { requestId } = await world.paused('ann', 'waits', 'gate', { note: 'n1' });
  await world.rows(requestId, ({ consent }) => consent?.status === 'pending');
  expect((await runCli(['backup', late, '--data', world.data])).code).toBe(0);
  await world.served.stop();

  cpSync(late, restored, { recursive: true });
  cpSync(join(world.data, 'deployment.key'), join(restored, 'deployment.key'));
  const digest = await digestOf(restored);

  const older = join(world.dir, 'older');
  cpSync(restored, older, { recursive: true });
  cpSync(join(early, 'keys.db'), join(older, 'keys.db'));
  expect(codeOf(await upOn(older))).toBe('ERR_KEYS_OLDER');
  rmSync(join(older, 'keys.db'));
  expect(codeOf(await upOn(older))).toBe('ERR_KEYS_MISSING');

  rmSync(world.data, { recursive: true });
  cpSync(restored, world.data, { recursive: true });
  expect(await digestOf(world.data)).toBe(digest);
  await world.up();
  expect(await world.decide('ann', 'waits', { approved: true, requestId })).toMatchObject({ status: 200 });
  expect(world.desk.times('n1')).toBe(1);
});

it('X1 and X4 rotate the wrapping key of a folder that nobody uses: everything opens, and without the new key nothing starts', async () => {
  const args = ['--data', world.data];
  expect((await runCli(['rotate-key', ...args])).stderr).toMatch(/\(ERR_DATA_IN_USE\)\n$/);
  await world.served.stop();
  const { code, stdout } = await runCli(['rotate-key', ...args]);
  expect(code).toBe(0);
  const { keys, rewrapped } = JSON.parse(stdout) as { keys: number; rewrapped: number };
  expect(rewrapped).toBe(keys);
  const without = join(world.dir, 'without');
  cpSync(world.data, without, { recursive: true });
  rmSync(join(without, 'wrapping.key'));
  expect(codeOf(await upOn(without))).toBe('ERR_KEY_MISMATCH');
  await world.up();
  const { status, body } = await world.post('ann', '/invoke', { op: 'session-transcript', sessionId: 'first' });
  expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('hello')]);
});
