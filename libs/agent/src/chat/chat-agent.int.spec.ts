import { commandAgent, type Message } from '../index.js';
import { ChatServer, PROVIDERS_WORDS, callPiece, chunkOf } from '../testing/chat-server.js';
import { stepOf, tool, user } from '../testing/steps.js';
import { RESULTS_ARE_DATA } from './chat-messages.js';
import { chatAgent, type ChatAgentOptions } from './index.js';

let server: ChatServer;
beforeAll(async () => {
  server = await new ChatServer().listen();
});
afterAll(() => server.close());
beforeEach(() => {
  server.asked.length = 0;
});
const agent = (more: Partial<ChatAgentOptions> = {}) => chatAgent({ baseUrl: server.url, apiKey: 'sk-secret', model: 'small', ...more });

it('L20 tells the text of a model as it comes, and the tokens it took', async () => {
  let heard!: () => void;
  const told = new Promise<void>((resolve) => (heard = resolve));
  server.next(async (reply) => {
    reply.delta({ role: 'assistant', content: '' });
    reply.say('Hello, ');
    await told;
    reply.say('you.', 'stop');
    reply.usage(12, 5);
    reply.done();
  });
  const stepped = await stepOf(agent(), { onPiece: heard });
  expect(stepped).toEqual({
    pieces: ['Hello, ', 'you.'],
    end: { text: 'Hello, you.', usage: { inputTokens: 12, outputTokens: 5, model: 'small' } },
  });
});

it.each([1, 2, 3, 7, 64])('L20 reads a stream that comes in pieces of %i bytes', async (size) => {
  server.next((reply) =>
    reply.inPieces([chunkOf({ content: 'Ünïcödé ' }), chunkOf({ content: '🦉\n\ndata: x' }), chunkOf({}, 'stop')], size),
  );
  expect(await stepOf(agent())).toEqual({ pieces: ['Ünïcödé ', '🦉\n\ndata: x'], end: { text: 'Ünïcödé 🦉\n\ndata: x' } });
});

it('L20 takes several calls of one step, each in pieces, with their arguments as the text that was written', async () => {
  server.next((reply, { body }) => {
    const [read = '', list = ''] = body.tools!.map((one) => one.function.name);
    reply.say('Let me look.');
    reply.delta(callPiece({ index: 0, id: 'a', name: read, args: '' }));
    reply.delta(callPiece({ index: 1, id: 'b', name: list, args: '' }));
    reply.delta(callPiece({ index: 0, args: '{"path": ' }));
    reply.delta(callPiece({ index: 0, args: '12345678901234567890 }' }));
    reply.delta({}, 'tool_calls');
    reply.done();
  });
  const stepped = await stepOf(agent(), { tools: [tool('files.read'), tool('files.list')] });
  expect(stepped.end).toEqual({
    text: 'Let me look.',
    calls: [
      { name: 'files.read', args: '{"path": 12345678901234567890 }' },
      { name: 'files.list', args: '{}' },
    ],
  });
});

it('L20 and M7 offers tools under names that a model takes, and knows them by their own again', async () => {
  const names = ['files.read', 'ünï.cödé tool', `long.${'x'.repeat(90)}`];
  server.next((reply, { body }) => {
    for (const [index, one] of body.tools!.entries()) {
      expect(one.function.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      reply.delta(callPiece({ index, id: `${index}`, name: one.function.name, args: '{}' }));
    }
    reply.delta(callPiece({ index: 9, id: '9', name: 'no_such_tool', args: '{}' }));
    reply.delta({}, 'tool_calls');
    reply.done();
  });
  const { end } = await stepOf(agent(), { tools: names.map((name) => tool(name)) });
  expect(end?.calls?.map(({ name }) => name)).toEqual([...names, 'no_such_tool']);
});

it('L20 sends the conversation, the tools and what the settings say, and nothing of theirs is replaced', async () => {
  server.next((reply) => {
    reply.say('ok', 'stop');
    reply.done();
  });
  const extra = { reasoning_effort: 'low', stream: false, messages: [], model: 'large' };
  const settings = { system: 'Be brief.', temperature: 0, maxTokens: 99, headers: { 'x-team': 'blue' }, extra };
  await stepOf(agent(settings), { tools: [tool('files.read', { type: 'object', properties: { path: {} } })] });
  const [{ path, headers, body }] = server.asked as [(typeof server.asked)[0]];
  expect(path).toBe('/v1/chat/completions');
  expect(headers).toMatchObject({ authorization: 'Bearer sk-secret', 'x-team': 'blue' });
  expect(body).toEqual({
    reasoning_effort: 'low',
    model: 'small',
    messages: [
      { role: 'system', content: `Be brief.\n\n${RESULTS_ARE_DATA}` },
      { role: 'user', content: 'hello' },
    ],
    tools: [{ type: 'function', function: { name: 'files__read', parameters: { type: 'object', properties: { path: {} } } } }],
    temperature: 0,
    max_tokens: 99,
    stream: true,
    stream_options: { include_usage: true },
  });
});

it('L20 sends no key where none is set, and nothing that the environment says of another provider', async () => {
  const theirs = { OPENAI_API_KEY: 'sk-other', OPENAI_ADMIN_KEY: 'sk-admin', OPENAI_ORG_ID: 'org', OPENAI_PROJECT_ID: 'project' };
  const before = { ...process.env };
  Object.assign(process.env, theirs, { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
  try {
    server.next((reply) => {
      reply.say('ok', 'stop');
      reply.done();
    });
    expect((await stepOf(agent({ apiKey: undefined }))).end?.text).toBe('ok');
  } finally {
    process.env = before;
  }
  const { headers } = server.asked[0]!;
  expect(headers.authorization).toBeUndefined();
  for (const value of Object.values(theirs)) expect(JSON.stringify(headers)).not.toContain(value);
});

it('L20 carries a turn with a call: what one step asked for, the next one is told the result of', async () => {
  server.next(
    (reply) => {
      reply.delta(callPiece({ index: 0, id: 'theirs', name: 'files__read', args: '{"path":"a"}' }), 'tool_calls');
      reply.done();
    },
    (reply) => {
      reply.say('It says hi.', 'stop');
      reply.done();
    },
  );
  const tools = [tool('files.read')];
  const { end } = await stepOf(agent(), { tools });
  const called: Message = {
    role: 'assistant',
    text: end!.text,
    calls: [{ callId: 'ours', name: end!.calls![0]!.name, args: { path: 'a' } }],
  };
  const result: Message = { role: 'tool', callId: 'ours', name: 'files.read', outcome: 'ok', text: 'hi' };
  expect((await stepOf(agent(), { tools, messages: [user('hello'), called, result] })).end?.text).toBe('It says hi.');
  expect(server.asked[1]!.body.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'ours', type: 'function', function: { name: 'files__read', arguments: '{"path":"a"}' } }],
    },
    { role: 'tool', tool_call_id: 'ours', content: '{"outcome":"ok","text":"hi"}' },
  ]);
});

it('L20 closes the connection when the turn is aborted in the middle of an answer', async () => {
  const turn = new AbortController();
  const closed = server.closedAfter((reply) => reply.say('One moment'));
  const reason = new Error('The turn was stopped.');
  const stepped = await stepOf(agent(), { signal: turn.signal, onPiece: () => turn.abort(reason) });
  expect(stepped).toEqual({ pieces: ['One moment'], error: reason });
  await closed;
});

it('L20 closes the connection when nobody listens to a step any more', async () => {
  const closed = server.closedAfter((reply) => reply.say('One moment'));
  const step = agent().step([user('hello')], [], new AbortController().signal);
  await step.next();
  await step.return({ text: '' });
  await closed;
});

it.each([
  ['before it asks', 0],
  ['while it waits for its answer', 1],
])('L20 stops at once when the turn is aborted %s', async (_when, requests) => {
  const turn = new AbortController();
  const reason = new Error('The turn was stopped.');
  if (requests === 0) turn.abort(reason);
  else server.next(() => turn.abort(reason));
  expect(await stepOf(agent(), { signal: turn.signal })).toEqual({ pieces: [], error: reason });
  expect(server.asked).toHaveLength(requests);
});

// Shorter than the wait that the provider asks for: the test's own bound is what fails.
it('L20 does not sit out a wait that a provider asked for when the turn is aborted', async () => {
  const turn = new AbortController();
  const reason = new Error('The turn was stopped.');
  server.next(async (reply) => {
    reply.status(429, { 'retry-after': '29' });
    await reply.closed;
    setTimeout(() => turn.abort(reason), 50);
  });
  expect(await stepOf(agent(), { signal: turn.signal })).toEqual({ pieces: [], error: reason });
  expect(server.asked).toHaveLength(1);
}, 20_000);

it('L20 takes an answer that said its end for whole although its stream was cut then', async () => {
  server.next(async (reply) => {
    reply.say('All of it.', 'stop');
    await new Promise(setImmediate);
    reply.cut();
  });
  expect(await stepOf(agent())).toEqual({ pieces: ['All of it.'], end: { text: 'All of it.' } });
});

it('L20 names the model as the settings do, and takes no count that is none', async () => {
  server.next((reply) => {
    reply.say('ok', 'stop');
    reply.usage(-1, PROVIDERS_WORDS);
    reply.done();
  });
  expect(await stepOf(agent())).toEqual({ pieces: ['ok'], end: { text: 'ok' } });
});

it('L20 needs no model to run offline: the command agent and the chat agent fill one port', async () => {
  expect((await stepOf(commandAgent)).end).toEqual({ text: 'hello' });
});
