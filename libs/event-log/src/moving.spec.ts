import { topics, type EventOrigin } from '@doorledger/contracts';
import { AppendIndefiniteError } from './errors.js';
import { checkIdentity, establishIdentity } from './genesis.js';
import { handOver, identityToMove } from './moving.js';
import { MemoryLog } from './testing/memory-log.js';

const { name: system } = topics.system;
const origin: EventOrigin = { source: '/doorledger/test/operator', now: () => 0 };
const expected = { keyCheck: 'ab'.repeat(32), foldVersion: 1 };
const logId = '00000000-0000-4000-8000-000000000001';
const THERE = 'cluster';

/** What was written on `log`, read at the place it went to. */
const arrived = (log: MemoryLog): MemoryLog =>
  new Proxy(log, {
    get: (target, name) => {
      if (name === 'place') return THERE;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });

let log: MemoryLog;
beforeEach(async () => {
  log = new MemoryLog({ [system]: 1 });
  await establishIdentity(log, { ...expected, newLogId: () => logId }, origin);
});

it('X5 hands a log over under its id: refused where it was, by name and with the place it went to, and started where it is', async () => {
  const moving = await identityToMove(log, THERE, expected);
  expect(moving).toMatchObject({ identity: { logId, place: 'memory' }, isHandedOver: false });
  await expect(checkIdentity(arrived(log), expected)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });
  await handOver(log, moving, THERE, origin);
  const refusal = await checkIdentity(log, expected).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'ERR_LOG_MOVED', message: expect.stringContaining(THERE) as string });
  expect(await checkIdentity(arrived(log), expected)).toMatchObject({ logId, place: THERE });
});

it('X5 goes on with a log that was handed over to the same place, and refuses one that went to another', async () => {
  await handOver(log, await identityToMove(log, THERE, expected), THERE, origin);
  expect(await identityToMove(log, THERE, expected)).toMatchObject({ identity: { logId, place: 'memory' }, isHandedOver: true });
  await expect(identityToMove(log, 'another cluster', expected)).rejects.toMatchObject({ code: 'ERR_LOG_MOVED' });
});

it('X5 refuses a log that nothing was ever started on, and one of another deployment key', async () => {
  await expect(identityToMove(new MemoryLog({ [system]: 1 }), THERE, expected)).rejects.toMatchObject({ code: 'ERR_MOVE_NOTHING' });
  const other = { ...expected, keyCheck: 'cd'.repeat(32) };
  await expect(identityToMove(log, THERE, other)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_KEY' });
});

it('X5 and K4 hand over once where the append was not confirmed and is not on the log', async () => {
  const moving = await identityToMove(log, THERE, expected);
  let tries = 0;
  log.beforeAppend = () => {
    if (++tries === 1) throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'Nobody knows.');
  };
  await handOver(log, moving, THERE, origin);
  expect(tries).toBe(2);
  expect((await log.ends(system))[0]!.end).toBe(2);
});
