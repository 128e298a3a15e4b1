import { once, EventEmitter } from 'node:events';
import { failure } from '../wire/terminal.js';
import { ann, bob, doorInProcess, verifierOf, type DoorInProcess, type DoorParts } from '../ws/testing/door-in-process.js';

let doors: DoorInProcess;
const open = async (parts: DoorParts = {}) => (doors = await doorInProcess(parts));
afterEach(() => doors.stop());

const invoke = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`http://${doors.url}/invocations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const ping = () => fetch(`http://${doors.url}/ping`);
const answer = async (response: Response): Promise<unknown[]> => [response.status, (await response.json()) as unknown];

it('D16 serves a dialect whose message is `prompt`, else `input`, in the session that its header names', async () => {
  await open();
  const session = { 'X-Amzn-Bedrock-AgentCore-Runtime-Session-Id': 'of-the-platform' };
  expect(await answer(await invoke({ prompt: 'zwölf', input: 'not this' }, session))).toEqual([200, { output: 'zwölf' }]);
  expect(await answer(await invoke({ input: 'x', prompt: {} }))).toEqual([200, { output: 'x' }]);
  expect(doors.entries.map(({ sessionRef }) => sessionRef)).toEqual([doors.references.sessionRef(undefined, 'of-the-platform'), undefined]);
  for (const nothing of ['null', '"text"', '[1]', '{}', '{"messages":[]}'])
    expect(await answer(await invoke(nothing))).toMatchObject([400, { code: 'ERR_INVALID_RUN_INPUT' }]);
  expect((await invoke('{')).status).toBe(400);
  expect(await answer(await invoke({ op: 'session-list' }))).toMatchObject([501, { code: 'ERR_SESSION_OP_NEEDS_IDENTITY' }]);
});

it('D16 and D23 stream the dialect as frames that are `data` only', async () => {
  await open({ agent: async (input, piece) => (piece('a'), input) });
  const response = await invoke({ prompt: 'ab' }, { accept: 'text/event-stream' });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(await response.text()).toBe(
    [
      'data: {"event":"progress","data":{"step":1}}\n\n',
      'data: {"event":"chunk","data":{"text":"a"}}\n\n',
      'data: {"event":"complete","data":{"output":"ab"}}\n\n',
    ].join(''),
  );
});

it('D16, I4 and I8 take the user of a header for nobody: it may only agree with the bearer', async () => {
  await open({ verifier: verifierOf({ 'of-ann': { principal: ann }, 'of-bob': { principal: bob } }) });
  const as = (token: string | undefined, user: string | undefined) =>
    invoke(
      { prompt: 'x' },
      {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(user !== undefined && { 'x-amzn-bedrock-agentcore-runtime-user-id': user }),
      },
    );
  expect((await as('of-ann', 'ann')).status).toBe(200);
  expect((await as('of-ann', undefined)).status).toBe(200);
  expect((await as('of-ann', 'bob')).status).toBe(401);
  expect((await as(undefined, 'ann')).status).toBe(401);
  expect((await as(undefined, undefined)).status).toBe(401);
  const refOf = (who: typeof ann) => doors.references.userRef(who);
  expect(doors.entries.map(({ identityFailure, claimedUser, userRef }) => [identityFailure, claimedUser, userRef])).toEqual([
    [undefined, undefined, refOf(ann)],
    [undefined, undefined, refOf(ann)],
    ['claimed-another-user', true, refOf(ann)],
    ['no-token', true, undefined],
    ['no-token', undefined, undefined],
  ]);
  const listed = await fetch(`http://${doors.url}/invoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer of-ann', 'x-amzn-bedrock-agentcore-runtime-user-id': 'bob' },
    body: '{"op":"session-list"}',
  });
  expect(listed.status).toBe(200);
});

it('G1 and D5 stand before the dialect too', async () => {
  await open();
  expect((await invoke({ prompt: 'x' }, { 'content-type': 'text/plain' })).status).toBe(415);
  doors.closing.reason = failure('ERR_HOST_CLOSED', 'closing');
  expect((await invoke({ prompt: 'x' })).status).toBe(503);
  expect([doors.counts, doors.entries.map(({ door, outcome }) => [door, outcome])]).toEqual([
    ['closing'],
    [['request', 'cross-site-refused']],
  ]);
});

it('D16 tells the platform whether turns run, and leave no record of it', async () => {
  const turn = new EventEmitter();
  await open({
    agent: async (input) => {
      const end = once(turn, 'end');
      turn.emit('begin');
      await end;
      return input;
    },
  });
  expect(await answer(await ping())).toEqual([200, { status: 'Healthy', time_of_last_update: expect.any(Number) as number }]);
  const begun = once(turn, 'begin');
  const invoked = invoke({ prompt: 'x' });
  await begun;
  expect(await answer(await ping())).toMatchObject([200, { status: 'HealthyBusy' }]);
  turn.emit('end');
  await invoked;
  expect(await answer(await ping())).toMatchObject([200, { status: 'Healthy' }]);
  doors.closing.reason = failure('ERR_HOST_CLOSED', 'closing');
  expect((await ping()).status).toBe(503);
  expect([doors.counts, doors.entries.length]).toEqual([[], 1]);
});
