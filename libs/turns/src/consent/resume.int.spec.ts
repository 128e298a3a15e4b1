import { commandAgent } from '@doorledger/agent';
import { topics } from '@doorledger/contracts';
import { AppendRefusedError, type EventLog } from '@doorledger/event-log';
import { noTools } from '../testing/no-tools.js';
import { ScriptedTools } from '../testing/scripted-tools.js';
import { TurnHosts, askOf } from '../testing/turn-host.js';
import { Decisions } from './decisions.js';
import type { Gates } from './gates.js';
import { storedPause } from './stored-pause.js';

const session = topics.session.name;
const policy = { deciders: 'party', roles: [], separation: false } as const;

/** Every tool asks before it runs. */
const gates: Gates = {
  judge: async ({ args }, { checkIn }) =>
    checkIn ? { kind: 'run', args, observed: [] } : { kind: 'gated', gate: 'checkIn', args, terms: { policy }, observed: [] },
  chain: () => [],
  terms: () => [{ policy }],
};

let hosts: TurnHosts;
beforeEach(async () => (hosts = await TurnHosts.open()));
afterEach(() => hosts.close());

/** A host whose log is its own tail: of the ledger it needs the gate of a request alone. */
async function deciding(append: EventLog['append'] = hosts.log.append.bind(hosts.log)) {
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
  const approve = (key: string, requestId: string) =>
    decisions.decide({
      key,
      sent: { requestId, approved: true },
      decider: { roles: [], ownsSession: true },
      signal: new AbortController().signal,
    });
  return { runner, tools, said, approve };
}

/** A turn that waits: its session, and the request. */
async function paused(runner: Awaited<ReturnType<typeof deciding>>['runner']) {
  const asked = askOf('/call files.echo {"text": "one"}', 's');
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
