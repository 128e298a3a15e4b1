import { setTimeout as sleep } from 'node:timers/promises';
import { commandAgent } from '@doorledger/agent';
import { topics } from '@doorledger/contracts';
import { AppendRefusedError, type EventLog } from '@doorledger/event-log';
import { noTools } from '../testing/no-tools.js';
import { ScriptedTools } from '../testing/scripted-tools.js';
import { TurnHosts, askOf } from '../testing/turn-host.js';
import { Decisions } from './decisions.js';
import type { GateTerms, Gates } from './gates.js';
import { storedPause } from './stored-pause.js';

const session = topics.session.name;
const policy = { deciders: 'party', roles: [], separation: false } as const;

/** Every tool asks before it runs. */
const gatesOf = (terms: GateTerms): Gates => ({
  judge: async ({ args }, { checkIn }) =>
    checkIn ? { kind: 'run', args, observed: [] } : { kind: 'gated', gate: 'checkIn', args, terms, observed: [] },
  chain: () => [],
  terms: () => [terms],
});

let hosts: TurnHosts;
beforeEach(async () => (hosts = await TurnHosts.open()));
afterEach(() => hosts.close());

/** A host whose log is its own tail: of the ledger it needs the gate of a request alone. */
async function deciding(append: EventLog['append'] = hosts.log.append.bind(hosts.log), terms: GateTerms = { policy }) {
  const gates = gatesOf(terms);
  const tools = new ScriptedTools();
  const { runner, view, claims, keys, said } = await hosts.host(commandAgent, {
    append,
    tools: { servers: tools.servers, sessions: tools.sessions, gates },
  });
  const decisions = new Decisions({
    view,
    claims,
    runner,
    ledger: { consent: async () => ({ gate: 'checkIn', status: 'pending', decide_by: null, spend_by: null }) as never },
    pauseOf: storedPause({
      ledger: { messagesOf: async () => ({ read: [], unread: [] }), turn: async () => undefined },
      log: hosts.log,
      keys,
    }),
    gates,
    servers: tools.servers,
    logId: noTools.logId,
    isFrozen: () => false,
  });
  const approve = (key: string, requestId: string, signal = new AbortController().signal) =>
    decisions.decide({
      key,
      sent: { requestId, approved: true },
      decider: { roles: [], ownsSession: true },
      signal,
    });
  return { runner, tools, said, approve };
}

/** A turn that waits: its session, and the request. */
async function paused(runner: Awaited<ReturnType<typeof deciding>>['runner'], input = '/call files.echo {"text": "one"}') {
  const asked = askOf(input, 's');
  const answer = await runner.run(asked);
  if (answer.kind !== 'awaiting') throw new Error('The call did not ask.');
  return { key: asked.session!.ref, requestId: answer.ask.requestId, turnId: asked.turnId };
}

it('L4 goes on in another process with a turn that one had paused, from what is on the log alone', async () => {
  const [one, other] = [await deciding(), await deciding()];
  const { key, requestId, turnId } = await paused(one.runner);
  const answer = other.approve(key, requestId);
  const sent = await other.tools.call(1);
  expect(sent.args).toEqual({ text: 'one' });
  expect(sent.context.turnId).toBe(turnId);
  sent.end({ outcome: 'ok', text: 'done' });
  expect(await answer).toMatchObject({ kind: 'complete', output: 'done' });
  expect(one.tools.sent).toEqual([]);
  expect(await one.said(key)).toMatchObject([
    { role: 'user' },
    { role: 'assistant' },
    { role: 'tool', text: 'done' },
    { role: 'assistant' },
  ]);
});

it('N24 runs nothing when the log goes away between the spend and the dispatch, and it never runs', async () => {
  let isAway = false;
  const failing: EventLog['append'] = async (topic, records) => {
    if (isAway) throw new AppendRefusedError('ERR_LOG_UNREACHABLE', 'The log is away.');
    isAway = records.some(({ headers }) => String(headers?.ce_type) === 'consent.spent');
    return hosts.log.append(topic, records);
  };
  const { runner, tools, approve } = await deciding(failing);
  const { key, requestId } = await paused(runner);
  await expect(approve(key, requestId)).rejects.toMatchObject({ code: 'ERR_LOG_UNREACHABLE' });
  expect(tools.sent).toEqual([]);
  expect(tools.released).toHaveLength(1);
  const types = await hosts.typesOf(session);
  expect(types).toContain('consent.spent');
  expect(types).not.toContain('tool-call.dispatched');
});

const typeOf = ({ headers }: { readonly headers?: Readonly<Record<string, unknown>> | undefined }) => String(headers?.ce_type);

/** A log that does something of its own before it takes a record of this type. */
const before =
  (type: string, act: () => void | Promise<void>): EventLog['append'] =>
  async (topic, records) => {
    if (records.some((record) => typeOf(record) === type)) await act();
    return hosts.log.append(topic, records);
  };
const refusing = () => Promise.reject(new AppendRefusedError('ERR_LOG_UNREACHABLE', 'The log is away.'));

it('D21 and L10 ask nobody for a pause whose state the log refuses: no request is minted, and the session is free', async () => {
  const [broken, other] = [await deciding(before('pause.stored', refusing)), await deciding()];
  await expect(paused(broken.runner)).rejects.toMatchObject({ code: 'ERR_LOG_UNREACHABLE' });
  expect(await hosts.typesOf(session)).toEqual(['turn.claimed', 'turn.stepped', 'turn.failed']);
  expect(await paused(other.runner)).toMatchObject({ requestId: expect.any(String) as string });
});

it('D21 and L10 ask nobody for a pause that the log refuses: what was stored of it is nobody’s', async () => {
  const stored: number[] = [];
  const count = async () => {
    stored.push((await hosts.typesOf(topics.private.name)).filter((type) => type === 'pause.stored').length);
    await refusing();
  };
  const [broken, other] = [await deciding(before('turn.paused', count)), await deciding()];
  const asked = askOf('/call files.echo {"text": "one"}', 's');
  await expect(broken.runner.run(asked)).rejects.toMatchObject({ code: 'ERR_LOG_UNREACHABLE' });
  expect(stored).toEqual([1]);
  const types = await hosts.typesOf(session);
  expect(types.filter((type) => type === 'consent.minted' || type === 'turn.paused')).toEqual([]);
  const { key, requestId } = await paused(other.runner);
  expect(await other.said(key)).toMatchObject([
    { role: 'user' },
    { role: 'assistant' },
    { role: 'tool' },
    { role: 'user' },
    { role: 'assistant' },
  ]);
  const answer = other.approve(key, requestId);
  (await other.tools.call(1)).end({ outcome: 'ok', text: 'done' });
  expect(await answer).toMatchObject({ kind: 'complete', output: 'done' });
});

it('N23 puts nothing on the log for a caller who is gone before the claim', async () => {
  const { runner, tools, approve } = await deciding();
  const { key, requestId } = await paused(runner);
  const all = (await hosts.typesOf(session)).length;
  await expect(approve(key, requestId, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  expect((await hosts.typesOf(session)).slice(all)).toEqual([]);
  const answer = approve(key, requestId);
  (await tools.call(1)).end({ outcome: 'ok', text: 'done' });
  expect(await answer).toMatchObject({ kind: 'complete' });
});

it.each(['turn.claimed', 'consent.spent'])(
  'N23 leaves a %s to stand that was in flight when its caller left, and runs nothing',
  async (type) => {
    const leaving = new AbortController();
    const [one, other] = [await deciding(), await deciding(before(type, () => leaving.abort()))];
    const { key, requestId } = await paused(one.runner);
    await expect(other.approve(key, requestId, leaving.signal)).rejects.toMatchObject({ name: 'AbortError' });
    const facts = (await hosts.recordsOf(session)).map(({ decoded }) => decoded.type);
    expect(facts.filter((one) => one === 'turn.claimed')).toHaveLength(2);
    expect(facts).not.toContain('tool-call.dispatched');
    expect(facts.at(-1)).toBe('turn.failed');
    expect([one.tools.sent, other.tools.sent]).toEqual([[], []]);
  },
);

it('L21 and N15 ask for the gated calls of one step in turn, each in another process, and run each once', async () => {
  const texts = ['one', 'two', 'three'];
  const first = await deciding();
  const { key, ...asked } = await paused(first.runner, texts.map((text) => `/call files.echo ${JSON.stringify({ text })}`).join('\n'));
  let { requestId } = asked;
  const ends = [];
  for (const text of texts) {
    const { tools, approve } = await deciding();
    const answer = approve(key, requestId);
    const sent = await tools.call(1);
    expect(sent.args).toEqual({ text });
    sent.end({ outcome: 'ok', text: `${text} done` });
    const end = await answer;
    ends.push(end);
    if (end.kind === 'awaiting') requestId = end.ask.requestId;
    expect(tools.sent).toHaveLength(1);
  }
  expect(ends).toMatchObject([{ kind: 'awaiting' }, { kind: 'awaiting' }, { kind: 'complete', output: 'one done\ntwo done\nthree done' }]);
  expect((await hosts.typesOf(session)).filter((type) => type === 'tool-call.dispatched')).toHaveLength(3);
  const heard = (await first.said(key)).filter(({ role }) => role === 'tool');
  expect(heard).toMatchObject(texts.map((text) => ({ text: `${text} done` })));
});

it('N8 begins no call past its spend-by, though its approval was spent in time', async () => {
  const spendByMs = 3000;
  let spentAt = 0;
  let spendBy = 0;
  const past = async () => {
    const facts = (await hosts.recordsOf(session)).map(({ timestamp, decoded: { type, body } }) => ({ timestamp, type, data: body!.data }));
    spentAt = facts.find(({ type }) => type === 'consent.spent')!.timestamp;
    ({ spendBy } = facts.find(({ type }) => type === 'consent.minted')!.data as { readonly spendBy: number });
    while (Date.now() <= spendBy) await sleep(spendBy - Date.now() + 1);
  };
  const { runner, tools, approve } = await deciding(before('tool-call.dispatched', past), { policy, spendByMs });
  const { key, requestId } = await paused(runner);
  await expect(approve(key, requestId)).rejects.toThrow();
  const facts = (await hosts.recordsOf(session)).map(({ decoded: { type, body } }) => ({ type, ...(body!.data as object) }));
  expect(spentAt).toBeLessThanOrEqual(spendBy);
  expect(facts.find(({ type }) => type === 'tool-call.dispatched')).toMatchObject({ requestId, notAfter: spendBy });
  expect(facts.at(-1)).toMatchObject({ type: 'turn.failed' });
  expect([tools.sent, tools.released.length]).toEqual([[], 1]);
});
