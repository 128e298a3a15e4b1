import { commandAgent } from '@doorledger/agent';
import { encode, eventOf, topics, type Fact } from '@doorledger/contracts';
import { LogTail, type EventLog } from '@doorledger/event-log';
import type { Freeze } from '@doorledger/ledger';
import { openGates, type GateCall, type Judgement } from './consent/gates.js';
import { FreezeBook } from './freezes.js';
import { frozenGates, frozenServers } from './frozen-calls.js';
import { ScriptedTools } from './testing/scripted-tools.js';
import { TurnHosts, askOf } from './testing/turn-host.js';

const { session, system } = topics;
const origin = { source: '/doorledger/test/host', now: Date.now };
const references = { tenantRef: (tenant: string) => `tenant ${tenant}`, userRef: ({ subject }: { subject: string }) => `user ${subject}` };
const freezeId = '00000000-0000-4000-8000-000000000001';
const call = '/call files.echo {"text":"one"}';

let hosts: TurnHosts;
const tails: LogTail[] = [];
beforeEach(async () => (hosts = await TurnHosts.open()));
afterEach(async () => {
  for (const tail of tails.splice(0)) await tail.close();
  await hosts.close();
});

/** A host's own reading of operators' words. */
async function reading(): Promise<{ freezes: FreezeBook; tail: LogTail }> {
  const freezes = new FreezeBook();
  const tail = new LogTail({ log: hosts.log, from: { [system.name]: [0] }, deliver: (batch) => freezes.apply(batch) });
  tails.push(tail);
  tail.start();
  await tail.catchUp(5000);
  return { freezes, tail };
}

async function host(append?: EventLog['append']) {
  const { freezes, tail } = await reading();
  const tools = new ScriptedTools();
  const servers = frozenServers(tools.servers, { freezes, references });
  const { runner } = await hosts.host(commandAgent, { tools: { servers, sessions: tools.sessions }, ...(append && { append }) });
  return { runner, tail, freezes, tools };
}

const say = (fact: Fact) => hosts.log.append(system.name, [{ key: `freeze/${freezeId}`, ...encode(eventOf(fact, origin)) }]);
const freeze = (target: Freeze['target']) => say({ type: 'freeze.set', data: { freezeId, target, by: 'b'.repeat(32), why: 'because' } });
const lift = () => say({ type: 'freeze.lifted', data: { freezeId, by: 'b'.repeat(32) } });

it('P6 every host on the log judges a freeze within a second, and its lifting', async () => {
  const [one, other] = [await host(), await host()];
  await freeze({ kind: 'tool', name: 'files.echo' });
  for (const { runner, tail, tools } of [one, other]) {
    expect(await tail.catchUp(1000)).toBe(true);
    const answer = await runner.run(askOf(call, 's1'));
    expect(answer).toMatchObject({ output: 'The call was not sent (FrozenByOperator). It did not run.' });
    expect([tools.sent.length, tools.released.length]).toEqual([0, 1]);
  }
  await lift();
  for (const { runner, tail, tools } of [one, other]) {
    expect(await tail.catchUp(1000)).toBe(true);
    const running = runner.run(askOf(call, 's1'));
    (await tools.call(1)).end({ outcome: 'ok', text: 'ran' });
    expect(await running).toMatchObject({ output: 'ran' });
  }
});

it('P6 does not send a call that was frozen while its dispatch was on its way', async () => {
  let isFrozen = Promise.resolve(false);
  const { runner, tail, tools } = await host(async (topic, records) => {
    if (topic === session.name && records.some(({ headers }) => headers.ce_type === 'tool-call.dispatched')) {
      await freeze({ kind: 'everything' });
      isFrozen = tail.catchUp(1000);
      await isFrozen;
    }
    return hosts.log.append(topic, records);
  });
  const answer = await runner.run(askOf(call, 's1'));
  expect(await isFrozen).toBe(true);
  expect([answer, tools.sent]).toMatchObject([{ output: expect.stringContaining('It did not run.') }, []]);
  const ends = (await hosts.recordsOf(session.name)).map(({ decoded: { type, body } }) => ({ type, ...(body!.data as object) }));
  expect(ends.filter(({ type }) => type === 'tool-call.finished')).toMatchObject([
    { outcome: 'not-sent', errorClass: 'FrozenByOperator', attempt: 1 },
  ]);
});

it.each<[Freeze['target']]>([
  [{ kind: 'tool', name: 'files.echo' }],
  [{ kind: 'server', name: 'files' }],
  [{ kind: 'tenant', name: 'tenant t' }],
  [{ kind: 'user', name: 'user ann' }],
  [{ kind: 'everything' }],
])('P6 denies a call under %j before anybody is asked for it', async (target) => {
  const freezes = new FreezeBook();
  const asked: GateCall[] = [];
  const passed = { rules: 0, checkIn: false };
  const gated: Judgement = {
    kind: 'gated',
    gate: 'checkIn',
    args: {},
    terms: { policy: { deciders: 'party', roles: [], separation: false } },
  };
  const judge = async (one: GateCall) => {
    asked.push(one);
    return { ...gated, observed: [] };
  };
  const gates = frozenGates({ ...openGates, judge }, { freezes, references });
  const one: GateCall = { server: 'files', tool: 'echo', args: {}, party: { issuer: 'i', tenant: 't', subject: 'ann' } };
  expect(await gates.judge(one, passed)).toMatchObject({ kind: 'gated' });
  freezes.set({ freezeId, target, by: 'b', why: 'because', setAt: 1 });
  expect(await gates.judge(one, passed)).toMatchObject({ kind: 'deny', reason: expect.stringContaining('frozen') });
  freezes.lift(freezeId);
  expect(await gates.judge(one, passed)).toMatchObject({ kind: 'gated' });
  expect(asked).toHaveLength(2);
});
