import { randomBytes, randomUUID } from 'node:crypto';
import { topics, type Fact } from '@doorledger/contracts';
import { operations, type UpkeepParts } from './operations.js';
import { DataFolder } from './testing/data-folder.js';

let folder: DataFolder;
let parts: UpkeepParts;
beforeEach(async () => {
  folder = new DataFolder();
  parts = await folder.open();
});
afterEach(() => folder.remove());

const ann = randomBytes(16).toString('hex');
const refOf = (id: string) => folder.refOf(id);

it('X2 erases a session by its id: closed, its key gone, said on the log, and a receipt; others of the same person stay', async () => {
  const [said, kept] = [await folder.turn(refOf('one'), ann), await folder.turn(refOf('two'), ann)];
  expect(await folder.reads(said)).toBe('a secret');
  const receipt = await operations.erase({ session: 'one' }, parts);
  expect(receipt).toMatchObject({
    target: { kind: 'session', ref: refOf('one') },
    sessions: [refOf('one')],
    keysDestroyed: 1,
    erasedBefore: 0,
  });
  expect([await folder.reads(said), await folder.reads(kept)]).toEqual(['ERR_CONTENT_KEY_LOST', 'a secret']);
  expect(await folder.typesOf(refOf('one'))).toEqual(['turn.claimed', 'turn.failed', 'session.closed', 'session.erased']);
  await parts.ledger.positions();
  expect((await parts.ledger.sessionRow(refOf('one'))).state.isClosed).toBe(true);
  expect(await operations.erase({ session: 'one' }, parts)).toMatchObject({ erasedBefore: 1, keysDestroyed: 0 });
  expect(await folder.typesOf(refOf('one'))).toHaveLength(4);
});

it('X2 erases a person: every session of theirs, what runs, and their own key; nobody else’s', async () => {
  const bob = randomBytes(16).toString('hex');
  const [one, two, other] = [
    await folder.turn(refOf('one'), ann),
    await folder.turn(refOf('two'), ann, { ends: false }),
    await folder.turn(refOf('bob'), bob),
  ];
  const alone = randomUUID();
  const sessionless = await folder.turn(alone, ann, { ends: false, turnId: alone, owner: { kind: 'person', ref: ann } });
  const receipt = await operations.erase({ userRef: ann }, parts);
  expect(receipt).toMatchObject({ sessions: [refOf('one'), refOf('two')].sort(), keysDestroyed: 3, turnsEnded: 1 });
  expect(await Promise.all([one, two, sessionless, other].map((said) => folder.reads(said)))).toEqual([
    ...Array.from({ length: 3 }, () => 'ERR_CONTENT_KEY_LOST'),
    'a secret',
  ]);
  await parts.ledger.positions();
  expect(await parts.ledger.openRunsOf('h')).toEqual([]);
});

it.each([0, 1, 2])('X2 mends by erasing once more what was killed after %i steps', async (steps) => {
  const said = await folder.turn(refOf('one'), ann);
  await parts.ledger.positions();
  folder.stepsLeft = steps;
  await expect(operations.erase({ session: 'one' }, parts)).rejects.toThrow('killed');
  await folder.close();
  parts = await folder.open();
  await operations.erase({ session: 'one' }, parts);
  expect(await folder.reads(said)).toBe('ERR_CONTENT_KEY_LOST');
  expect((await folder.typesOf(refOf('one'))).filter((type) => type === 'session.erased')).toHaveLength(1);
  await parts.ledger.positions();
  expect(await parts.ledger.ownedKey(refOf('one'))).toMatchObject({ isErased: true, runs: [] });
  expect((await folder.replayed()).isEqual).toBe(true);
});

it('X2 revokes the grants that an erased person gave or was given', async () => {
  await folder.turn(refOf('one'), ann);
  const grant = async (userRef: string) => {
    const grantId = randomUUID();
    const hash = 'a'.repeat(64);
    const data = {
      grantId,
      userRef,
      server: 's',
      tool: 't',
      toolHash: hash,
      schemaHash: hash,
      by: userRef,
      private: { partition: 0, offset: 0, hash },
    };
    await folder.say(topics.spend.name, `grant/${grantId}`, { type: 'grant.created', data } as unknown as Fact);
    return grantId;
  };
  const [theirs, others] = [await grant(ann), await grant(randomBytes(16).toString('hex'))];
  expect(await operations.erase({ userRef: ann }, parts)).toMatchObject({ grantsRevoked: 1 });
  await parts.ledger.positions();
  const isRevoked = async (id: string) => (await parts.ledger.grant(id))!.some(({ type }) => type === 'grant.revoked');
  expect([await isRevoked(theirs), await isRevoked(others)]).toEqual([true, false]);
});

it.each([
  [{}, 'ERR_INVALID_QUERY'],
  [{ session: 'one', userRef: ann }, 'ERR_INVALID_QUERY'],
  [{ userRef: 'ann' }, 'ERR_INVALID_QUERY'],
  [{ sessionRef: ann, tenant: 't' }, 'ERR_INVALID_QUERY'],
  [{ session: 'never' }, 'ERR_NOT_FOUND'],
  [{ userRef: 'f'.repeat(32) }, 'ERR_NOT_FOUND'],
])('X2 writes nothing for %j and says why', async (fields, code) => {
  folder.stepsLeft = 0;
  await expect(operations.erase(fields, parts)).rejects.toMatchObject({ code });
});
