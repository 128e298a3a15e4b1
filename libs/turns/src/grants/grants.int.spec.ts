import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { commandAgent } from '@doorledger/agent';
import { exactPattern, type ApproverPolicy, type JsonObject } from '@doorledger/consent';
import { topics } from '@doorledger/contracts';
import { LogTail, foldSession, readSessionRecord, advance, startOfPartition, emptySession, type Effect } from '@doorledger/event-log';
import type { ContentKeys } from '@doorledger/privacy';
import { PrivateWriter } from '../content.js';
import type { Gates } from '../consent/gates.js';
import { noTools } from '../testing/no-tools.js';
import { ScriptedTools } from '../testing/scripted-tools.js';
import { TurnHosts, askOf } from '../testing/turn-host.js';
import { GrantBook } from './grant-book.js';
import { GrantClaims } from './grant-claims.js';
import { Grants } from './grants.js';
import { compileGrantPattern } from './pattern-keywords.js';

const spend = topics.spend.name;
const session = topics.session.name;
const ann = 'a'.repeat(32);
const toolHash = '0'.repeat(64);
const args: JsonObject = { text: 'one' };
const origin = { source: '/doorledger/test/host', now: Date.now };
const contentKey = { keyId: randomUUID(), key: createSecretKey(randomBytes(32)) };
const byParty: ApproverPolicy = { deciders: 'party', roles: [], separation: false };

/** Everything asks once. */
const gates: Gates = {
  judge: async (call, passed) =>
    passed.checkIn
      ? { kind: 'run', args: call.args, observed: [] }
      : { kind: 'gated', gate: 'checkIn', args: call.args, terms: { policy: byParty }, observed: [] },
  chain: () => [],
  terms: () => [{ policy: byParty }],
};

let hosts: TurnHosts;
let tools: ScriptedTools;
let tails: LogTail[];
let isKeyLost = false;
beforeEach(async () => {
  [tools, tails, isKeyLost] = [new ScriptedTools(), [], false];
  hosts = await TurnHosts.open();
});
afterEach(async () => {
  for (const tail of tails) await tail.close();
  await hosts.close();
});

/** What one host knows of grants. */
async function grantsOf({ timeoutMs = 5000 } = {}) {
  const { log } = hosts;
  const book = new GrantBook();
  const partitions = log.topics.get(spend)!;
  const tail = new LogTail({ log, from: { [spend]: Array.from({ length: partitions }, () => 0) }, deliver: (batch) => book.apply(batch) });
  tails.push(tail);
  tail.start();
  await tail.catchUp(5000);
  const keys = {
    keyFor: async () => contentKey,
    keyById: async () => {
      if (isKeyLost) throw new Error('The key is gone.');
      return contentKey;
    },
  } as unknown as ContentKeys;
  const claims = new GrantClaims({ log, book, origin, timeoutMs });
  const grants = new Grants({ isFrozen: () => false, book, claims, content: new PrivateWriter({ log, keys, origin }), log, keys });
  return { book, grants, tail };
}

const create = (grants: Grants, more: { count?: number; by?: string; until?: number } = {}) =>
  grants.create({
    owner: { kind: 'person', ref: ann },
    server: 'files',
    tool: 'echo',
    toolHash,
    by: ann,
    count: 1,
    pattern: compileGrantPattern(exactPattern(args)),
    ...more,
  });

type Held = Pick<Grants, 'covering' | 'use'>;
const hostWith = (grants: Held, append = hosts.log.append.bind(hosts.log)) =>
  hosts.host(commandAgent, { append, tools: { ...noTools, servers: tools.servers, sessions: tools.sessions, gates, grants } });
const ask = (name: string) => ({ ...askOf(`/call files.echo ${JSON.stringify(args)}`, name), signer: ann });
const facts = async (topic: string, type: string) =>
  (await hosts.recordsOf(topic)).filter(({ decoded }) => decoded.type === type).map(({ decoded }) => decoded.body!.data);

/** What the fold of every session makes of the log. */
async function effects(): Promise<Effect[]> {
  const all: Effect[] = [];
  const states = new Map<string, { state: typeof emptySession; time: typeof startOfPartition }>();
  for (const record of await hosts.recordsOf(session)) {
    const known = states.get(record.key) ?? { state: emptySession, time: startOfPartition };
    const time = advance(known.time, record);
    const folded = foldSession(known.state, readSessionRecord(record), time);
    states.set(record.key, { state: folded.state, time });
    all.push(...folded.effects);
  }
  return all;
}

it('N52 appends minted, used and spent in this order, each seen before the next, and dispatches the call under its spend', async () => {
  const { grants } = await grantsOf();
  const grantId = await create(grants);
  const { runner } = await hostWith(grants);
  const running = runner.run(ask('s'));
  const sent = await tools.call(1);
  const [minted] = await facts(session, 'consent.minted');
  expect(await facts(spend, 'grant.used')).toMatchObject([{ grantId, requestId: minted!.requestId }]);
  expect(await facts(session, 'consent.spent')).toMatchObject([
    { requestId: minted!.requestId, verdict: 'approved', grant: grantId, by: ann },
  ]);
  expect(await facts(session, 'tool-call.dispatched')).toMatchObject([{ gated: true, requestId: minted!.requestId }]);
  expect([minted!.grant, sent.args, sent.options.once]).toEqual([grantId, args, true]);
  sent.end({ outcome: 'ok', text: 'done' });
  expect(await running).toMatchObject({ kind: 'complete', output: 'done' });
  expect(await facts(session, 'turn.completed')).toMatchObject([{ toolCalls: 1 }]);
});

it('N52 lets exactly one of two hosts have the last use; the other asks', async () => {
  const [one, two] = [await grantsOf(), await grantsOf()];
  for (let round = 1; round <= 3; round++) {
    await create(one.grants);
    await Promise.all([one, two].map(({ tail }) => tail.catchUp(5000)));
    let both!: () => void;
    let looked = 0;
    const haveLooked = new Promise<void>((resolve) => (both = resolve));
    // Both have found the grant in force before either uses it.
    const racing = ({ grants }: { grants: Grants }): Held => ({
      use: (grant, requestId) => grants.use(grant, requestId),
      covering: async (call) => {
        const grant = await grants.covering(call);
        if (++looked === 2) both();
        await haveLooked;
        return grant;
      },
    });
    const [a, b] = [await hostWith(racing(one)), await hostWith(racing(two))];
    const answers = Promise.all([a.runner.run(ask(`a${round}`)), b.runner.run(ask(`b${round}`))]);
    (await tools.call(round)).end({ outcome: 'ok', text: 'done' });
    expect((await answers).map(({ kind }) => kind).sort()).toEqual(['awaiting', 'complete']);
    expect(tools.sent).toHaveLength(round);
  }
});

it('N52 asks as usual where the grant is revoked before its use stands, and what was minted under it never runs', async () => {
  const [mine, other] = [await grantsOf(), await grantsOf()];
  const grantId = await create(mine.grants);
  const { runner } = await hostWith({
    covering: (call) => mine.grants.covering(call),
    use: async (grant, requestId) => {
      await other.tail.catchUp(5000);
      await other.grants.revoke(grantId, ann);
      return mine.grants.use(grant, requestId);
    },
  });
  expect(await runner.run(ask('s'))).toMatchObject({ kind: 'awaiting', ask: { args } });
  const [granted, asked] = await facts(session, 'consent.minted');
  expect([granted!.grant, asked!.grant]).toEqual([grantId, undefined]);
  const settled = (await effects()).filter(({ kind }) => kind === 'request-settled');
  expect(settled).toMatchObject([{ requestId: granted!.requestId, verdict: 'closed', by: 'run-end' }]);
  expect(tools.sent).toEqual([]);
});

it('N52 runs a call whose use stood before the grant was revoked', async () => {
  const { grants } = await grantsOf();
  const grantId = await create(grants);
  const { runner } = await hostWith({
    covering: (call) => grants.covering(call),
    use: async (grant, requestId) => {
      const isUsed = await grants.use(grant, requestId);
      await grants.revoke(grantId, ann);
      return isUsed;
    },
  });
  const running = runner.run(ask('s'));
  (await tools.call(1)).end({ outcome: 'ok', text: 'done' });
  expect(await running).toMatchObject({ kind: 'complete' });
});

it('N52 leaves a use used whose host died before the spend; the call does not run, and is asked for the next time', async () => {
  const { grants, book } = await grantsOf();
  await create(grants);
  let died!: () => void;
  const dead = new Promise<void>((resolve) => (died = resolve));
  const dying: TurnHosts['log']['append'] = (topic, records) => {
    if (records.every(({ headers }) => headers.ce_type !== 'consent.spent')) return hosts.log.append(topic, records);
    died();
    return new Promise(() => {});
  };
  const first = await hostWith(grants, dying);
  const running = first.runner.run(ask('s'));
  running.catch(() => {});
  await dead;
  await first.tail.close();
  const next = await hostWith(grants);
  expect(await next.endEarlier()).toBe(1);
  expect([book.all(Date.now()), await facts(spend, 'grant.used')]).toMatchObject([[], [{ useId: expect.any(String) as string }]]);
  const [granted] = await facts(session, 'consent.minted');
  const settled = (await effects()).filter(({ kind }) => kind === 'request-settled');
  expect(settled).toMatchObject([{ requestId: granted!.requestId, verdict: 'closed', by: 'run-end' }]);
  expect(await next.runner.run(ask('s'))).toMatchObject({ kind: 'awaiting' });
  expect(tools.sent).toEqual([]);
});

it('N52 and L7 act on no use that the own tail has not met, and ask', async () => {
  const { grants, tail, book } = await grantsOf({ timeoutMs: 50 });
  const patient = await grantsOf();
  await create(patient.grants);
  await tail.catchUp(5000);
  expect(book.all(Date.now())).toHaveLength(1);
  await tail.close();
  const { runner } = await hostWith(grants);
  expect(await runner.run(ask('s'))).toMatchObject({ kind: 'awaiting' });
  expect(await facts(spend, 'grant.used')).toHaveLength(1);
});

it('N52 covers the agreed person, tool, definition and arguments, as long as the gate would still ask whoever gave it', async () => {
  const { grants } = await grantsOf();
  await create(grants);
  const call = { party: ann, server: 'files', tool: 'echo', toolHash, args, policy: byParty };
  const covers = async (more: object) => (await grants.covering({ ...call, ...more })) !== undefined;
  expect(await covers({})).toBe(true);
  const policy = (more: object) => ({ policy: { ...byParty, roles: ['boss'], ...more } });
  expect(await covers(policy({ deciders: 'both' }))).toBe(true);
  const others: object[] = [
    { party: 'b'.repeat(32) },
    { server: 'other' },
    { tool: 'write' },
    { toolHash: '1'.repeat(64) },
    { args: { text: 'two' } },
    { args: { text: 'one', more: 1 } },
    policy({ deciders: 'role' }),
    policy({ deciders: 'both', separation: true }),
    policy({ deciders: 'both', quorum: 1 }),
  ];
  for (const other of others) expect([other, await covers(other)]).toEqual([other, false]);
});

it('N52 takes the grant of an approver only where others than the party decide', async () => {
  const { grants } = await grantsOf();
  await create(grants, { by: 'e'.repeat(32) });
  const call = { party: ann, server: 'files', tool: 'echo', toolHash, args };
  const of = async (deciders: ApproverPolicy['deciders']) =>
    (await grants.covering({ ...call, policy: { deciders, roles: ['boss'], separation: true } })) !== undefined;
  expect([await of('role'), await of('both'), await of('party')]).toEqual([true, true, false]);
});

it('N52 and X1 cover nothing once the pattern cannot be read any more; the public log never had it', async () => {
  const { grants } = await grantsOf();
  await create(grants, { count: 5 });
  const fresh = await grantsOf();
  const call = { party: ann, server: 'files', tool: 'echo', toolHash, args, policy: byParty };
  isKeyLost = true;
  expect(await fresh.grants.covering(call)).toBeUndefined();
  isKeyLost = false;
  expect(await fresh.grants.covering(call)).toBeDefined();
  for (const topic of hosts.topics)
    for (const { value } of await hosts.recordsOf(topic)) expect(Buffer.from(value!).toString('utf8')).not.toContain('"const"');
});
