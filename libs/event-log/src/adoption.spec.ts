import { encode, eventOf, topics, type EventOrigin } from '@doorledger/contracts';
import { adopt, proposeAdoption, type AdoptionRequest } from './adoption.js';
import { AppendIndefiniteError } from './errors.js';
import { checkIdentity, establishIdentity } from './genesis.js';
import { MemoryLog } from './testing/memory-log.js';

const { name: system } = topics.system;
const origin: EventOrigin = { source: '/doorledger/test/operator', now: () => 0 };
const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);
const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const expected = { keyCheck: KEY, foldVersion: 1, newLogId: () => idOf(1) };
const request: AdoptionRequest = { ...expected, newLogId: () => idOf(2), mayChangeKey: false, raisesFold: false, hasLostRecords: false };

/** What was written on `log`, read back from another place or with other topics. */
const movedTo = (place: string, log: MemoryLog, counts: Readonly<Record<string, number>> = { [system]: 1 }): MemoryLog =>
  new Proxy(log, {
    get: (target, name) => {
      if (name === 'place') return place;
      if (name === 'topics') return new Map(Object.entries(counts));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });

let log: MemoryLog;
beforeEach(async () => {
  log = new MemoryLog({ [system]: 1 });
  await establishIdentity(log, expected, origin);
});

it('K8 makes a log that moved the log again, under a new id, once an operator adopted it', async () => {
  const moved = movedTo('elsewhere', log);
  await expect(checkIdentity(moved, expected)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });
  const adoption = await proposeAdoption(moved, request);
  expect(adoption).toMatchObject({ isNeeded: true, changes: [{ of: 'place', was: 'memory', is: 'elsewhere' }] });
  await expect(checkIdentity(moved, expected)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });
  await adopt(moved, adoption, origin);
  expect(await establishIdentity(moved, expected, origin)).toMatchObject({ logId: idOf(2), place: 'elsewhere' });
  await expect(checkIdentity(log, expected)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_PLACE' });
});

it('K8 names every topic whose partition count is another, and one that is gone or new', async () => {
  const moved = movedTo('memory', log, { [system]: 2, new: 3 });
  const { changes } = await proposeAdoption(moved, request);
  expect(changes).toEqual([
    { of: 'topic', topic: system, was: 1, is: 2 },
    { of: 'topic', topic: 'new', is: 3 },
  ]);
});

it('K8 finds nothing to adopt on a log that is who it says, and a new log where records are gone', async () => {
  expect(await proposeAdoption(log, request)).toMatchObject({ isNeeded: false, changes: [], to: { logId: idOf(1) } });
  expect(await proposeAdoption(log, { ...request, hasLostRecords: true })).toMatchObject({ isNeeded: true, to: { logId: idOf(2) } });
  expect(await proposeAdoption(new MemoryLog({ [system]: 1 }), request)).toMatchObject({ isNeeded: true, to: { logId: idOf(2) } });
});

it('K8 takes another deployment key only where the operator names that', async () => {
  const other = { ...request, keyCheck: OTHER_KEY };
  await expect(proposeAdoption(log, other)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_KEY' });
  const adoption = await proposeAdoption(log, { ...other, mayChangeKey: true });
  expect(adoption.changes).toEqual([{ of: 'key' }]);
  await adopt(log, adoption, origin);
  expect(await checkIdentity(log, { ...expected, keyCheck: OTHER_KEY })).toMatchObject({ logId: idOf(2) });
  await expect(checkIdentity(log, expected)).rejects.toMatchObject({ code: 'ERR_LOG_OTHER_KEY' });
});

it('L8 raises the fold only where that is asked for, under the same id, and an older release is refused from then on', async () => {
  const newer = { ...request, foldVersion: 2 };
  expect(await proposeAdoption(log, newer)).toMatchObject({ isNeeded: false, to: { foldVersion: 1 } });
  const adoption = await proposeAdoption(log, { ...newer, raisesFold: true });
  expect(adoption).toMatchObject({ changes: [{ of: 'fold', was: 1, is: 2 }], to: { logId: idOf(1), foldVersion: 2 } });
  await adopt(log, adoption, origin);
  await expect(checkIdentity(log, expected)).rejects.toMatchObject({ code: 'ERR_LOG_NEWER_FOLD' });
  await expect(proposeAdoption(log, request)).rejects.toMatchObject({ code: 'ERR_LOG_NEWER_FOLD' });
  expect(await checkIdentity(log, { ...expected, foldVersion: 2 })).toMatchObject({ foldVersion: 2 });
});

it('K4 and K8 write an adoption again that nobody confirmed', async () => {
  const adoption = await proposeAdoption(log, { ...request, hasLostRecords: true });
  let failures = 2;
  log.beforeAppend = () => {
    if (failures-- > 0) throw new AppendIndefiniteError('ERR_APPEND_UNKNOWN', 'not confirmed');
  };
  await adopt(log, adoption, origin);
  expect(await checkIdentity(log, expected)).toMatchObject({ logId: idOf(2) });
});

it('K8 goes by the last adoption, and by none that cannot be read', async () => {
  for (const n of [2, 3])
    await adopt(log, await proposeAdoption(log, { ...request, hasLostRecords: true, newLogId: () => idOf(n) }), origin);
  const { headers } = encode(eventOf({ type: 'log.adopted', data: (await proposeAdoption(log, request)).to }, origin));
  await log.append(system, [{ key: 'genesis', headers, value: Buffer.from('{"data":{}}') }]);
  expect(await checkIdentity(log, expected)).toMatchObject({ logId: idOf(3) });
});
