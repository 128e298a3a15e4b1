import { randomBytes, randomUUID } from 'node:crypto';
import { topics, type Fact } from '@doorledger/contracts';
import { partitionOf } from '@doorledger/event-log';
import { operations, type UpkeepParts } from './operations.js';
import { DataFolder } from './testing/data-folder.js';

const DAY = 86_400_000;
const ann = randomBytes(16).toString('hex');
const privateTopic = topics.private.name;

let folder: DataFolder;
let parts: UpkeepParts;
let clock: jest.SpyInstance<number>;
const startedAt = Date.now();
const daysLater = (days: number) => clock.mockReturnValue(startedAt + days * DAY);

beforeEach(async () => {
  clock = jest.spyOn(Date, 'now').mockReturnValue(startedAt);
  folder = new DataFolder();
  parts = await folder.open();
});
afterEach(async () => {
  clock.mockRestore();
  await folder.remove();
});

const retain = (days: number, apply: boolean) => operations.retain({ olderThanMs: days * DAY, apply }, parts);
const startsOf = async (topic: string) => (await folder.log.ends(topic)).map(({ start }) => start);
const ingress = (seq: number) => {
  const data = {
    hostId: 'h',
    bootId: folder.refOf('boot'),
    seq,
    at: Date.now(),
    door: 'turn',
    outcome: 'served',
    durationMs: 1,
    bearerPresent: false,
  };
  return folder.say(topics.ingress.name, 'h', {
    type: 'ingress.recorded',
    data: { ...data, bootId: '00000000-0000-4000-8000-000000000001' },
  } as Fact);
};
/** A person whose session has a name. */
const named = async (sessionId: string) => {
  const ref = folder.refOf(sessionId);
  const { content } = await folder.turn(ref, ann);
  await folder.say(privateTopic, ref, { type: 'session.named', data: { sessionRef: ref, ...content } });
  return ref;
};

it('X3 says what would go and cuts nothing before the word', async () => {
  for (let seq = 1; seq <= 5; seq++) await ingress(seq);
  daysLater(40);
  await ingress(6);
  const partition = partitionOf('h', 4);
  expect(await retain(30, false)).toMatchObject({
    isApplied: false,
    cuts: [{ topic: topics.ingress.name, partition, start: 0, before: 5 }],
  });
  expect(await startsOf(topics.ingress.name)).toEqual([0, 0, 0, 0]);
  expect(await folder.recordsOf(topics.system.name)).toEqual([]);
});

it('X3 cuts what is old, says so on the log, and a replay from the new start has the same digest', async () => {
  for (let seq = 1; seq <= 3; seq++) await ingress(seq);
  const old = await named('old');
  daysLater(40);
  await ingress(4);
  await named('young');
  const before = await folder.replayed();
  expect((await retain(30, true)).cuts.length).toBeGreaterThan(1);
  const after = await folder.replayed();
  expect(after).toMatchObject({ isEqual: true });
  expect(after.live.sha256).not.toBe(before.live.sha256);
  const facts = (await folder.recordsOf(topics.system.name)).map(({ decoded }) => decoded.body!);
  expect(
    facts.every(({ type, data }) => type === 'retention.applied' && Object.keys(data).sort().join() === 'before,by,partition,topic'),
  ).toBe(true);
  expect((await folder.recordsOf(topics.ingress.name)).map(({ decoded }) => decoded.body!.data.seq)).toEqual([4]);
  expect((await folder.recordsOf(privateTopic)).every(({ timestamp }) => timestamp > startedAt)).toBe(true);
  expect(await folder.typesOf(old)).toEqual(['turn.claimed', 'turn.failed']);
  expect((await parts.ledger.messagesOf(old)).read).toEqual([]);
});

it('X3 keeps what a turn that waits or runs still needs, and says why', async () => {
  const busy = folder.refOf('busy');
  await folder.turn(busy, ann, { ends: false });
  daysLater(40);
  const partition = partitionOf(busy, 4);
  expect((await retain(30, true)).cuts).toEqual([{ topic: privateTopic, partition, start: 0, before: 0, heldBy: 'content-in-use' }]);
  expect(await startsOf(privateTopic)).toEqual([0, 0, 0, 0]);
});

it('X3 writes the names that are still gone by again, and lets those go that nobody uses', async () => {
  const [used, unused] = [await named('used'), await named('unused')];
  daysLater(40);
  await folder.turn(used, ann);
  await retain(30, true);
  expect((await folder.replayed()).isEqual).toBe(true);
  expect([await parts.ledger.nameKey(used), await parts.ledger.nameKey(unused)]).toEqual([expect.any(String), undefined]);
});

it.each([0, 1, 2, 3])('X3 does by once more what was killed after %i steps, and nothing is missing without a name', async (steps) => {
  await ingress(1);
  const used = await named('used');
  daysLater(40);
  await folder.turn(used, ann);
  await parts.ledger.positions();
  folder.stepsLeft = steps;
  await expect(retain(30, true)).rejects.toThrow('killed');
  await folder.close();
  parts = await folder.open();
  expect((await folder.replayed()).isEqual).toBe(true);
  await retain(30, true);
  expect((await folder.replayed()).isEqual).toBe(true);
  expect(await folder.recordsOf(topics.ingress.name)).toEqual([]);
  const said = (await folder.recordsOf(topics.system.name)).map(({ decoded }) => decoded.body!.data);
  expect(new Set(said.map(({ topic, partition }) => `${topic as string}:${partition as number}`)).size).toBe(said.length);
  expect(await parts.ledger.nameKey(used)).toEqual(expect.any(String));
});

it('X3 stops by name at a prefix that is missing and that no fact speaks of', async () => {
  await ingress(1);
  await folder.log.cut(topics.ingress.name, [{ partition: partitionOf('h', 4), before: 1 }]);
  await expect(folder.replayed()).rejects.toMatchObject({ code: 'ERR_HISTORY_LOST' });
});

it('X3 and O7 never cut a topic that decides claims, and take no age that is none', async () => {
  await folder.turn(folder.refOf('one'), ann);
  for (const topic of [topics.session, topics.toolSession, topics.spend, topics.system])
    await expect(folder.log.cut(topic.name, [{ partition: 0, before: 1 }])).rejects.toMatchObject({ code: 'ERR_NEVER_CUT' });
  for (const fields of [{ olderThanMs: DAY, topics: [topics.session.name] }, { olderThanMs: 0 }, { olderThanMs: DAY, by: 'me' }, {}])
    await expect(operations.retain(fields, parts)).rejects.toMatchObject({ code: 'ERR_INVALID_QUERY' });
});

it('L8 lists what is blocked and why, and repairs one on an operator’s word', async () => {
  const key = folder.refOf('one');
  await folder.turn(key, ann);
  const headers = { ce_type: 'turn.claimed', ce_id: randomUUID(), ce_subject: randomUUID() };
  await folder.log.append(topics.session.name, [{ key, value: Buffer.from('not JSON'), headers }]);
  await parts.ledger.positions();
  const blocked = { key, partition: partitionOf(key, 4), offset: 2, type: 'turn.claimed', reason: 'unreadable body' };
  expect(await operations.blocked({}, parts)).toEqual({ blocked: [blocked] });
  await expect(operations.repair({ key: folder.refOf('two') }, parts)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  expect(await operations.repair({ key }, parts)).toEqual({ repaired: blocked });
  expect(await operations.blocked({}, parts)).toEqual({ blocked: [] });
  expect((await parts.ledger.sessionRow(key)).state.blockedBy).toBeUndefined();
  expect(await folder.typesOf(key)).toEqual(['turn.claimed', 'turn.failed', 'turn.claimed', 'session.repaired']);
});
