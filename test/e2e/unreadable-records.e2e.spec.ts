import { randomUUID } from 'node:crypto';
import { encode, eventOf, partitionCounts, topics, type Fact } from '@doorledger/contracts';
import { openSqliteLog, type NewRecord } from '@doorledger/event-log';
import { References, loadDeploymentKey } from '@doorledger/privacy';
import { ask } from '../faults/load.js';
import { serve, type Served } from '../faults/served-process.js';
import { run, sampleFolder, type SampleFolder } from './data-folder.js';

jest.setTimeout(120_000);
const sessions = ['blocked-turn', 'blocked-dispatch', 'blocked-nameless', 'spent', 'harmless', 'later-release'];
let sample: SampleFolder;
let served: Served;

const origin = { source: '/doorledger/local/other', now: () => 0 };
const torn = Buffer.from('{"specversion":"1.0","data":{"canary');
const names = (type: string, subject = randomUUID()) => ({ ce_type: type, ce_id: randomUUID(), ce_subject: subject });
const ids = { turnId: randomUUID(), runId: randomUUID(), hostId: 'other', bootId: randomUUID() };

/** A fact of this release with a field that it does not know yet. */
function withMore(fact: Fact, more: object): Omit<NewRecord, 'key'> {
  const { value, headers } = encode(eventOf(fact, origin));
  const event = JSON.parse(value.toString()) as { data: object };
  return { headers, value: Buffer.from(JSON.stringify({ ...event, later: true, data: { ...event.data, ...more } })) };
}

/** A record whose body is JSON, and not what its type's schema asks for. */
const wrong = (type: string, data: object): Omit<NewRecord, 'key'> => ({
  headers: names(type),
  value: Buffer.from(JSON.stringify({ specversion: '1.0', id: randomUUID(), type, data })),
});

/** On the log of a stopped system, as another writer could have left it. */
async function plant(dir: string): Promise<void> {
  const references = new References(loadDeploymentKey({ dir, mayCreate: false }));
  const key = (session: string) => references.sessionRef(undefined, session);
  const log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
  const add = (topic: string, at: string, record: Omit<NewRecord, 'key'>) => log.append(topic, [{ key: at, ...record }]);
  const session = topics.session.name;
  await add(session, key('blocked-turn'), { headers: names('turn.completed'), value: torn });
  await add(session, key('blocked-dispatch'), { headers: names('tool-call.dispatched'), value: torn });
  await add(session, key('blocked-nameless'), { headers: {}, value: torn });
  await add(session, key('spent'), { headers: names('consent.spent'), value: torn });
  for (const type of ['turn.renewed', 'tool-call.finished', 'consent.voted'])
    await add(session, key('harmless'), { headers: names(type), value: torn });
  await add(session, key('later-release'), { headers: names('turn.danced'), value: torn });
  await add(
    session,
    key('later-release'),
    withMore({ type: 'turn.renewed', data: { turnId: ids.turnId, runId: ids.runId } }, { mood: 'fine' }),
  );
  await add(topics.ingress.name, 'other', wrong('ingress.recorded', { seq: 'canary' }));
  await add(topics.system.name, 'host/other', wrong('host.alive', { hostId: 7 }));
  await add(topics.private.name, key('harmless'), { headers: names('messages.added'), value: torn });
  await add(topics.spend.name, 'grant/x', { headers: {}, value: torn });
  await add(topics.toolSession.name, 'x', wrong('tool-session.closed', {}));
  await log.close();
}

beforeAll(async () => {
  sample = await sampleFolder(sessions);
  await plant(sample.dir);
  served = await serve(sample.dir);
});
afterAll(async () => {
  await served.stop();
  sample.remove();
});

const statusOf = async (sessionId: string): Promise<[string, number, string?]> => {
  const { status, text } = await ask(served.url, { input: 'x', sessionId });
  const { code } = JSON.parse(text!) as { code?: string };
  return [sessionId, status, code];
};

it('L8 answers for a session with an unreadable turn, dispatch or nameless record by name, and serves every other one', async () => {
  expect(await Promise.all([...sessions, 'new'].map(statusOf))).toEqual([
    ['blocked-turn', 503, 'ERR_SESSION_BLOCKED'],
    ['blocked-dispatch', 503, 'ERR_SESSION_BLOCKED'],
    ['blocked-nameless', 503, 'ERR_SESSION_BLOCKED'],
    ['spent', 200, undefined],
    ['harmless', 200, undefined],
    ['later-release', 200, undefined],
    ['new', 200, undefined],
  ]);
});

it('L8 counts what it cannot read of topics without claims, and goes on past it', async () => {
  let status: { lag: number; quarantined: number; problems: string[] };
  do status = (await (await fetch(`${served.url}/v1/log`)).json()) as typeof status;
  while (status.lag > 0);
  // One of ingress, system, private and tool-session each; spend is a topic of claims.
  expect(status).toMatchObject({ quarantined: 4, problems: [] });
  expect((await fetch(`${served.url}/ready`)).status).toBe(200);
});

it('X0 and K6 replay unreadable records to the same digest, and verify finds the log whole', async () => {
  const replayed = await run(['replay', '--data', sample.dir]);
  expect([replayed.code, JSON.parse(replayed.stdout)]).toMatchObject([0, { isEqual: true }]);
  const verified = await run(['verify', '--data', sample.dir]);
  expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { isSound: true }]);
});

it('L8 keeps a session blocked over a restart, and quotes nothing of what it could not read', async () => {
  const words = served.words();
  await served.stop();
  served = await serve(sample.dir);
  expect(await statusOf('blocked-turn')).toEqual(['blocked-turn', 503, 'ERR_SESSION_BLOCKED']);
  expect(await statusOf('spent')).toEqual(['spent', 200, undefined]);
  expect(words + served.words()).not.toContain('canary');
});
