import { commandAgent, type Agent, type Message, type ToolResult } from '@doorledger/agent';
import { DoorledgerError, inTrace, topics } from '@doorledger/contracts';
import { ScriptedTools } from './testing/scripted-tools.js';
import { TurnHosts, askOf } from './testing/turn-host.js';
import type { TurnAnswer, TurnWatch } from './turn-ask.js';

const session = topics.session.name;
let hosts: TurnHosts;
let tools: ScriptedTools;
beforeEach(async () => {
  hosts = await TurnHosts.open();
  tools = new ScriptedTools();
});
afterEach(() => hosts.close());

const call = (args: object = { text: 'one' }) => `/call files.echo ${JSON.stringify(args)}`;
const ask = (input: string, watch?: TurnWatch, signal?: AbortSignal) => ({ ...askOf(input, 's1', signal), ...(watch && { watch }) });
const facts = async () => (await hosts.recordsOf(session)).map(({ decoded: { type, body } }) => ({ type, ...(body!.data as object) }));

it('L3 sends a call only once its dispatch is on the log and stands, and answers with its result', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  const running = runner.run(ask(call()));
  const sent = await tools.call(1);
  expect(sent.args).toEqual({ text: 'one' });
  const [, stepped, dispatched] = await facts();
  expect(stepped).toMatchObject({ type: 'turn.stepped', step: 1 });
  expect(dispatched).toMatchObject({
    type: 'tool-call.dispatched',
    callId: sent.context.callId,
    attempt: 1,
    server: 'files',
    tool: 'echo',
  });
  expect(sent.options.fence).toEqual({ callId: sent.context.callId, partition: expect.any(Number), offset: 2 });
  sent.end({ outcome: 'ok', text: 'the result' });
  expect(await running).toMatchObject({ output: 'the result' });
  const all = await facts();
  expect(all.map(({ type }) => type)).toEqual([
    'turn.claimed',
    'turn.stepped',
    'tool-call.dispatched',
    'tool-call.finished',
    'turn.stepped',
    'turn.completed',
  ]);
  expect(all[3]).toMatchObject({ callId: sent.context.callId, attempt: 1, outcome: 'ok' });
  expect(all[5]).toMatchObject({ steps: 2, toolCalls: 1 });
});

it('P8 carries the trace of a request through its turn, out to its tools and into every fact and content of it', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const running = inTrace(traceparent, () => runner.run(ask(call())));
  const other = runner.run(askOf('hello', 's2'));
  const sent = await tools.call(1);
  expect(sent.options.traceparent).toBe(traceparent);
  sent.end({ outcome: 'ok', text: 'the result' });
  await Promise.all([running, other]);
  const of = async (topic: string) =>
    (await hosts.recordsOf(topic)).map(({ key, headers }) => [key === askOf('', 's1').session!.ref, headers.ce_traceparent]);
  const all = [...(await of(session)), ...(await of(topics.private.name))];
  expect(all.length).toBeGreaterThan(10);
  expect(all.filter(([isIts, trace]) => trace !== (isIts ? traceparent : undefined))).toEqual([]);
});

it('L21 runs the calls of one step together, and the agent hears their results in its own order', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  const running = runner.run(ask(`${call({ n: 1 })}\n${call({ n: 2 })}`));
  const [first, second] = [await tools.call(1), await tools.call(2)];
  second.end({ outcome: 'ok', text: 'two' });
  first.end({ outcome: 'error', text: 'one', errorClass: 'ToolError' });
  expect(await running).toMatchObject({ output: 'one\ntwo' });
  expect(tools.released).toHaveLength(2);
});

it('L14 keeps calls and results as the history of the session', async () => {
  const { runner, said } = await hosts.host(commandAgent, { tools });
  const asked = ask(call());
  const running = runner.run(asked);
  const { context, end } = await tools.call(1);
  end({ outcome: 'ok', text: 'r', structured: { n: 1 } });
  await running;
  const { callId } = context;
  expect(await said(asked.session!.ref)).toEqual([
    { role: 'user', text: call() },
    { role: 'assistant', text: '', calls: [{ callId, name: 'files.echo', args: { text: 'one' } }] },
    { role: 'tool', callId, name: 'files.echo', outcome: 'ok', text: 'r', structured: { n: 1 } },
    { role: 'assistant', text: 'r' },
  ]);
});

it.each([
  ['an unknown tool', '/call files.nothing', 'There is no such tool.'],
  ['arguments that are no JSON object', '/call files.echo [1]', 'The arguments are not a JSON object.'],
])('M7 tells the agent of %s and dispatches nothing', async (_, input, text) => {
  const { runner } = await hosts.host(commandAgent, { tools });
  expect(await runner.run(ask(input))).toMatchObject({ output: text });
  expect((await facts()).map(({ type }) => type)).toEqual(['turn.claimed', 'turn.stepped', 'turn.stepped', 'turn.completed']);
});

it('T4 tells the agent by name why a tool session was refused, and dispatches nothing', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  tools.refusal = new DoorledgerError('ERR_TOOL_SESSION_KEY', 'This tool needs a session.');
  expect(await runner.run(ask(call()))).toMatchObject({ output: 'This tool needs a session. (ERR_TOOL_SESSION_KEY)' });
  expect(await hosts.typesOf(session)).not.toContain('tool-call.dispatched');
});

it('M4 dispatches a call that was provably not sent once more, on a tool session of its own, and not a third time', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  const running = runner.run(ask(call()));
  (await tools.call(1)).end({ outcome: 'not-sent', errorClass: 'HandleLost', mayDispatchAgain: true });
  const second = await tools.call(2);
  second.end({ outcome: 'not-sent', errorClass: 'HandleLost', mayDispatchAgain: true });
  expect(await running).toMatchObject({ output: expect.stringContaining('was not sent (HandleLost)') as string });
  expect(tools.prepared).toBe(2);
  const calls = (await facts()).filter(({ type }) => type!.startsWith('tool-call') || type === 'turn.renewed');
  expect(calls).toMatchObject([
    { type: 'tool-call.dispatched', attempt: 1 },
    { type: 'tool-call.finished', attempt: 1, outcome: 'not-sent' },
    { type: 'turn.renewed' },
    { type: 'tool-call.dispatched', attempt: 2 },
    { type: 'tool-call.finished', attempt: 2, outcome: 'not-sent' },
  ]);
});

it('N22 writes no end of a call whose end is not known, and the next turn is told before it starts', async () => {
  const heard: (readonly Message[])[] = [];
  const listening: Agent = {
    async *step(messages, offered, signal) {
      heard.push(messages);
      return yield* commandAgent.step(messages, offered, signal);
    },
  };
  const { runner, view } = await hosts.host(listening, { tools });
  const gone = new AbortController();
  const asked = ask(call(), undefined, gone.signal);
  const running = runner.run(asked);
  const { end, context } = await tools.call(1);
  gone.abort();
  end({ outcome: 'unknown', errorClass: 'AbortError' });
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  expect((await facts()).map(({ type }) => type)).not.toContain('tool-call.finished');
  const held = await view.hold(asked.session!.ref);
  expect(held.state.unresolved).toMatchObject([{ callId: context.callId, attempt: 1 }]);
  held.release();
  await runner.run(ask('and now?'));
  expect(heard.at(-1)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', calls: [{ callId: context.callId }] },
    { role: 'tool', callId: context.callId, outcome: 'unknown', text: expect.stringContaining('not known') },
    { role: 'user', text: 'and now?' },
  ]);
  expect(tools.sent).toHaveLength(1);
});

it('L2 asks right before the send whether the window of the dispatch is still open', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  const now = jest.spyOn(performance, 'now');
  const running = runner.run(ask(call()));
  const { options, end } = await tools.call(1);
  const at = performance.now();
  expect(options.maySend!()).toBe(true);
  now.mockReturnValue(at + 10_001);
  expect(options.maySend!()).toBe(false);
  now.mockRestore();
  end({ outcome: 'ok', text: 'x' });
  await running;
});

it('L21 fails a turn by name that takes more steps than it may, and one that calls more tools in a step', async () => {
  const restless: Agent = {
    async *step() {
      return { text: '', calls: [{ name: 'files.none', args: {} }] };
    },
  };
  const { runner } = await hosts.host(restless, { tools, steps: 3 });
  await expect(runner.run(ask('go'))).rejects.toMatchObject({ code: 'ERR_TURN_BOUND', details: { bound: 'steps' } });
  expect((await hosts.typesOf(session)).filter((type) => type === 'turn.stepped')).toHaveLength(3);
  const greedy = await hosts.host(commandAgent, { tools, callsPerStep: 1 });
  await expect(greedy.runner.run(ask(`${call()}\n${call()}`))).rejects.toMatchObject({ details: { bound: 'callsPerStep' } });
  expect(tools.sent).toHaveLength(0);
});

it('M3 writes each try of a retry series as a fact of that call, before the turn’s end', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  const running = runner.run(ask(call()));
  const { options, end, context } = await tools.call(1);
  options.onTry!({ try: 1, httpStatus: 429, waitMs: 200 });
  end({ outcome: 'ok', text: 'x' });
  await running;
  const all = await facts();
  expect(all.find(({ type }) => type === 'tool-call.attempted')).toMatchObject({
    callId: context.callId,
    try: 1,
    httpStatus: 429,
    waitMs: 200,
  });
  expect(all.at(-1)!.type).toBe('turn.completed');
});

it('D25 tells the caller of each call’s state and progress', async () => {
  const told: object[] = [];
  const watch = { step: () => {}, piece: () => {}, tool: (progress: object) => void told.push(progress) };
  const { runner } = await hosts.host(commandAgent, { tools });
  const running = runner.run(ask(call(), watch));
  const { options, end } = await tools.call(1);
  options.onProgress!({ progress: 1, total: 2 });
  end({ outcome: 'ok', text: 'x' });
  await running;
  expect(told).toMatchObject([{ tool: 'files.echo', state: 'called' }, { progress: 1, total: 2 }, { state: 'ok' }]);
});

it('T20 fires a call’s end when it settles, and the turn’s end once, before its last record', async () => {
  const { runner } = await hosts.host(commandAgent, { tools });
  const asked = ask(call());
  const running = runner.run(asked);
  const { end, context } = await tools.call(1);
  expect(tools.fired).toEqual([]);
  end({ outcome: 'ok', text: 'x' });
  await running;
  expect(tools.fired).toEqual([
    { kind: 'call-end', callId: context.callId },
    { kind: 'turn-end', turnId: asked.turnId },
  ]);
});

it('H2 stores the files of a result before the answer, and names them in it', async () => {
  const { runner, said } = await hosts.host(commandAgent, { tools });
  const asked = ask(call());
  const running = runner.run(asked);
  (await tools.call(1)).end({ outcome: 'ok', text: '[image]', files: [{ mimeType: 'image/png', bytes: Buffer.from('canary-bytes') }] });
  const { artifacts } = (await running) as Extract<TurnAnswer, { kind: 'complete' }>;
  expect(artifacts).toEqual([{ ref: expect.any(String), mimeType: 'image/png', size: 12 }]);
  const stored = (await hosts.recordsOf(topics.private.name)).filter(({ decoded }) => decoded.type === 'artifact.stored');
  expect(stored).toHaveLength(1);
  expect(Buffer.from(stored[0]!.value!).toString()).not.toMatch(/canary|Y2FuYXJ5/);
  const result = (await said(asked.session!.ref)).find(({ role }) => role === 'tool') as ToolResult;
  expect(result.artifacts).toEqual(artifacts);
});

it('H1 a file that cannot be stored changes nothing but the record', async () => {
  const broken = async (topic: string, records: Parameters<TurnHosts['log']['append']>[1]) => {
    if (records.some(({ headers }) => String(headers?.ce_type).includes('artifact'))) throw new Error('no room');
    return hosts.log.append(topic, records);
  };
  const { runner } = await hosts.host(commandAgent, { tools, append: broken });
  const running = runner.run(ask(call()));
  (await tools.call(1)).end({ outcome: 'ok', text: 'fine', files: [{ mimeType: 'image/png', bytes: Buffer.from('x') }] });
  expect(await running).toMatchObject({ output: 'fine', artifacts: [], handOverFailure: 'operation-failed' });
});

it('H1 tells of files that could not be handed over to a caller who is gone, and first of all of what went wrong first', async () => {
  const leaving = new AbortController();
  const broken = async (topic: string, records: Parameters<TurnHosts['log']['append']>[1]) => {
    if (!records.some(({ headers }) => String(headers?.ce_type).includes('artifact'))) return hosts.log.append(topic, records);
    leaving.abort();
    throw new Error('no room');
  };
  const { runner } = await hosts.host(commandAgent, { tools, append: broken });
  const told: string[] = [];
  const running = runner.run({ ...ask(call(), undefined, leaving.signal), onHandOverFailure: (failure) => told.push(failure) });
  const files = ['a', 'b'].map((text) => ({ mimeType: 'image/png', bytes: Buffer.from(text) }));
  (await tools.call(1)).end({ outcome: 'ok', text: 'fine', files });
  await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  expect(told).toEqual(['caller-gone']);
  expect((await facts()).at(-1)).toMatchObject({ type: 'turn.failed', errorName: 'AbortError' });
});
