import { Connection, type Repeating } from './connection.js';
import { RequestError } from './request-error.js';

type Answer = { readonly status: number; readonly body?: object; readonly headers?: Record<string, string> } | Error;
const soon = { 'retry-after': '0' };
const refusedConnection = () =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
const lostAnswer = () => Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
const good: Answer = { status: 200, body: { fine: true } };

/** A host that gives these answers in turn, the last one for ever. */
function asked(answers: readonly Answer[], repeating: Repeating) {
  let requests = 0;
  const fetching = async () => {
    const answer = answers[Math.min(requests++, answers.length - 1)]!;
    if (answer instanceof Error) throw answer;
    return new Response(JSON.stringify(answer.body ?? {}), { status: answer.status, headers: answer.headers ?? {} });
  };
  const connection = new Connection({ url: 'http://host/', attempts: 3, fetch: fetching });
  const ended = connection.json({ method: 'POST', path: '/x', body: {}, repeating });
  return ended.then(
    () => ({ requests, error: undefined }),
    (error: RequestError) => ({ requests, error }),
  );
}
const of503 = (code: string, more: object = {}, headers: Record<string, string> = soon): Answer => ({
  status: 503,
  body: { error: 'x', code, ...more },
  headers,
});

it.each<[string, Answer, Repeating, number]>([
  ['what was never sent', refusedConnection(), 'once', 2],
  ['a closing host', of503('ERR_HOST_CLOSED'), 'once', 2],
  ['a token that nobody judged', of503('ERR_IDENTITY_VERIFIER_UNAVAILABLE'), 'turn', 2],
  ['a turn that came to no name', of503('ERR_LOG_UNAVAILABLE'), 'turn', 2],
  ['a turn that has a name', of503('ERR_LOG_UNAVAILABLE', { turnId: 't' }), 'turn', 1],
  ['a turn that is named in the header', of503('ERR_LOG_UNAVAILABLE', {}, { ...soon, 'x-turn-id': 't' }), 'turn', 1],
  ['a change that may hold', of503('ERR_LOG_UNAVAILABLE'), 'once', 1],
  ['a 503 that does not say when', of503('ERR_FROZEN', {}, {}), 'repeatable', 1],
  ['a lost answer', lostAnswer(), 'turn', 1],
  ['a lost answer', lostAnswer(), 'once', 1],
  ['a lost answer', lostAnswer(), 'repeatable', 2],
  ['a turn with a name', of503('ERR_LOG_UNAVAILABLE', { turnId: 't' }), 'repeatable', 2],
  ['a fault', { status: 500, body: { error: 'x' }, headers: soon }, 'repeatable', 1],
  ['too many requests', { status: 429, body: { error: 'x', code: 'ERR_ADMISSION_REFUSED' }, headers: soon }, 'repeatable', 1],
])('asks again only where that is proven to be safe: %s, %j, %s, in %i requests', async (_, first, repeating, requests) => {
  expect((await asked([first, good], repeating)).requests).toBe(requests);
});

it('gives up after so many attempts, and says what is known', async () => {
  const { requests, error } = await asked([of503('ERR_LOG_UNAVAILABLE', { mayHaveBeenUsed: true })], 'repeatable');
  expect(requests).toBe(3);
  expect(error).toMatchObject({
    status: 503,
    code: 'ERR_LOG_UNAVAILABLE',
    details: { mayHaveBeenUsed: true },
    mayHaveRun: true,
    retryAfterMs: 0,
  });
});

it.each<[Answer, boolean]>([
  [{ status: 409, body: { error: 'x', code: 'ERR_CONCURRENT_RUN' } }, false],
  [{ status: 409, body: { error: 'x', code: 'ERR_TURN_ABANDONED' } }, true],
  [{ status: 500, body: { error: 'x' } }, true],
  [{ status: 502 }, true],
  [refusedConnection(), false],
  [lostAnswer(), true],
])('tells of %j whether it may have run: %s', async (answer, mayHaveRun) => {
  expect((await asked([answer], 'once')).error?.mayHaveRun).toBe(mayHaveRun);
});

it('takes no answer for JSON that is none, and names no token in an error', async () => {
  const fetching = async () => new Response('<html>', { status: 502 });
  const connection = new Connection({ url: 'http://host', token: 'secret-token', fetch: fetching });
  const error = await connection.json({ path: '/x', repeating: 'once' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RequestError);
  expect(JSON.stringify([error, (error as Error).message])).not.toContain('secret');
});
