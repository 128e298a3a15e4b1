import { inspect } from 'node:util';
import { AgentError } from '../index.js';
import { ChatServer, PROVIDERS_WORDS, callPiece, type Reply } from '../testing/chat-server.js';
import { stepOf } from '../testing/steps.js';
import { chatAgent, type ChatAgentOptions } from './index.js';

let server: ChatServer;
const printed: unknown[] = [];
beforeAll(async () => {
  server = await new ChatServer().listen();
  for (const way of ['log', 'info', 'warn', 'error', 'debug'] as const)
    jest.spyOn(console, way).mockImplementation((...words: unknown[]) => void printed.push(...words));
});
afterAll(async () => {
  jest.restoreAllMocks();
  await server.close();
});
beforeEach(() => {
  server.asked.length = 0;
});

/** Steps into a failure and holds it to what every failure promises: it has a code, and says nothing of what the provider wrote. */
async function failureOf(...scripts: ((reply: Reply) => void | Promise<void>)[]): Promise<AgentError & { pieces: string[] }> {
  return failureWith({}, ...scripts);
}
async function failureWith(more: Partial<ChatAgentOptions>, ...scripts: ((reply: Reply) => void | Promise<void>)[]) {
  server.next(...scripts);
  const agent = chatAgent({ baseUrl: server.url, apiKey: 'sk-secret', model: 'small', timeoutMs: 20_000, ...more });
  const { pieces, error } = await stepOf(agent);
  expect(error).toBeInstanceOf(AgentError);
  const all = inspect([error, printed], { depth: 20, showHidden: true });
  expect(all).not.toContain('sk-secret');
  expect(all).not.toContain(PROVIDERS_WORDS);
  return Object.assign(error as AgentError, { pieces });
}
const now = { 'retry-after': '0' };

it.each([
  [400, 'model.name'],
  [401, 'model.apiKey'],
  [403, 'model.apiKey'],
  [404, 'model.baseUrl'],
  [413, 'longer than the model takes'],
  [418, 'model.name'],
])('L20 says what to look at when the API refuses with %i, and does not ask again', async (status, what) => {
  const { code, message } = await failureOf((reply) => reply.status(status, now));
  expect(code).toBe('ERR_MODEL_REFUSED');
  expect(message).toContain(what);
  expect(message).toContain(String(status));
  expect(server.asked).toHaveLength(1);
});

it('L20 does not listen to a refusal that has no end', async () => {
  const closed = server.closedAfter((reply) => reply.refuse(401));
  expect((await failureWith({ timeoutMs: 5_000 })).code).toBe('ERR_MODEL_REFUSED');
  await closed;
});

it('L20 sends a conversation to no other place than the one in the settings', async () => {
  const elsewhere = await new ChatServer().listen();
  try {
    const { code, message } = await failureOf((reply) => reply.status(307, { location: `${elsewhere.url}/chat/completions` }));
    expect([code, message]).toEqual(['ERR_MODEL_REFUSED', expect.stringContaining('model.baseUrl')]);
    expect(elsewhere.asked).toEqual([]);
  } finally {
    await elsewhere.close();
  }
});

it.each([429, 500, 503, 408, 409])('L20 asks again after %i when the API says, and answers in the end', async (status) => {
  server.next(
    (reply) => reply.status(status, now),
    (reply) => reply.status(status, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
    (reply) => {
      reply.say('after all', 'stop');
      reply.done();
    },
  );
  const { end } = await stepOf(chatAgent({ baseUrl: server.url, model: 'small' }));
  expect(end).toEqual({ text: 'after all' });
  expect(server.asked).toHaveLength(3);
});

it.each([
  [429, 'ERR_MODEL_RATE_LIMITED'],
  [500, 'ERR_MODEL_UNAVAILABLE'],
])('L20 gives up after three tries that ended with %i: %s', async (status, code) => {
  const again = (reply: Reply) => reply.status(status, { 'retry-after-ms': '1' });
  expect((await failureOf(again, again, again)).code).toBe(code);
  expect(server.asked).toHaveLength(3);
});

it.each([{ 'retry-after': '3600' }, { 'retry-after': 'Fri, 01 Jan 2100 00:00:00 GMT' }, { 'x-should-retry': 'false' }])(
  'L20 does not wait for an hour because a provider says %j',
  async (headers) => {
    expect((await failureOf((reply) => reply.status(429, headers as unknown as Record<string, string>))).code).toBe(
      'ERR_MODEL_RATE_LIMITED',
    );
    expect(server.asked).toHaveLength(1);
  },
);

it('L20 asks again when the connection was lost before an answer began', async () => {
  server.next(
    (reply) => reply.cut(),
    (reply) => {
      reply.say('here', 'stop');
      reply.done();
    },
  );
  expect((await stepOf(chatAgent({ baseUrl: server.url, model: 'small' }))).end).toEqual({ text: 'here' });
});

it('L20 names a model that nobody serves by the reason the system gives', async () => {
  const gone = await new ChatServer().listen();
  const baseUrl = gone.url;
  await gone.close();
  const { code, message } = await failureWith({ baseUrl });
  expect([code, message]).toEqual(['ERR_MODEL_UNAVAILABLE', 'The model could not be reached (ECONNREFUSED). Try again soon.']);
});

it.each<[string, (reply: Reply) => void]>([
  ['is cut', (reply) => reply.cut()],
  ['ends without saying how', (reply) => reply.end()],
  ['ends with nothing but the last line', (reply) => reply.done()],
  ['reports an error', (reply) => reply.event({ error: { message: PROVIDERS_WORDS, code: 'server_error' } })],
  ['ends in error', (reply) => reply.delta({}, 'error')],
])('L20 never takes half an answer for whole: a stream that %s', async (_how, ends) => {
  const { code, pieces } = await failureOf(async (reply) => {
    reply.say('The first half');
    await new Promise(setImmediate);
    ends(reply);
    reply.end();
  });
  expect(code).toBe('ERR_MODEL_UNAVAILABLE');
  expect('The first half').toContain(pieces.join(''));
  expect(server.asked).toHaveLength(1);
});

it.each<[string, (reply: Reply) => void]>([
  ['a line that is no JSON', (reply) => reply.raw(`data: {"choices": ${PROVIDERS_WORDS}\n\n`)],
  ['a page of a website', (reply) => reply.page(`<html>${PROVIDERS_WORDS}</html>`)],
  ['nothing', (reply) => reply.raw(': ping\n\n')],
  ['nothing known', (reply) => reply.event(null)],
  ['a call without a name', (reply) => reply.delta(callPiece({ index: 0, id: 'a', args: '{}' }), 'tool_calls')],
  ['no calls where it says so', (reply) => reply.delta({}, 'tool_calls')],
  ['a call that was cut', (reply) => reply.delta(callPiece({ index: 0, id: 'a', name: 'files__read', args: '{"pa' }), 'length')],
  ['no text within its limit', (reply) => reply.delta({ reasoning_content: PROVIDERS_WORDS }, 'length')],
  ['arguments that are no text', (reply) => reply.delta({ tool_calls: [{ function: { name: 'x', arguments: {} } }] }, 'tool_calls')],
  ['something withheld', (reply) => reply.say('', 'content_filter')],
])('L20 names an answer that is of no use: %s', async (_what, says) => {
  const { code } = await failureOf((reply) => {
    says(reply);
    reply.end();
  });
  expect(code).toBe('ERR_MODEL_ANSWER');
});

it.each([false, true])('L20 does not wait for ever for a model that falls silent (in the middle of its answer: %s)', async (begins) => {
  const closed = server.closedAfter((reply) => begins && reply.say('Let me think'));
  const { code, message } = await failureWith({ timeoutMs: 200 });
  expect([code, message]).toEqual(['ERR_MODEL_UNAVAILABLE', 'The model said nothing for 0.2 s. Try again soon.']);
  await closed;
  expect(server.asked).toHaveLength(1);
});

it('L20 cuts off a model that does not stop', async () => {
  const closed = server.closedAfter((reply) => {
    for (let n = 0; n < 100; n++) reply.say('and so on, ');
  });
  const { code } = await failureWith({ maxAnswerBytes: 5_000 });
  expect(code).toBe('ERR_MODEL_ANSWER');
  await closed;
});

it.each([{ baseUrl: 'not an address' }, { apiKey: 'ключ' }])('L20 says so when a request cannot be written from %j', async (more) => {
  expect((await failureWith(more)).code).toBe('ERR_MODEL_REFUSED');
  expect(server.asked).toEqual([]);
});
