import { doorledger, type Client, type TurnEvent } from '@doorledger/client';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { ConsentWorld, call } from '../consent/consent-world.js';

jest.setTimeout(120_000);
let world: ConsentWorld;
beforeAll(
  async () => (world = await ConsentWorld.start({ gates: { gate: {}, boss: { deciders: 'role', roles: ['approver'] }, free: undefined } })),
);
afterAll(() => world.stop());

const clientOf = (person: string, url = world.served.url): Client =>
  doorledger({ url, token: async () => (await world.headersOf(person)).authorization!.replace('Bearer ', '') });
async function collected(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const all: TurnEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
async function taken<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

it('D14 and D19 asks turns and reads what was said', async () => {
  const { doors, ledger } = clientOf('ann');
  const end = await doors.turn('hello', { sessionId: 'talk' });
  expect(end).toMatchObject({ kind: 'complete', output: expect.stringContaining('hello'), turnId: expect.any(String) });
  expect((await doors.transcript('talk')).map(({ role }) => role)).toEqual(['user', 'assistant']);
  const timeline = await taken(ledger.timeline('talk', { at: end.position! }));
  expect(timeline.map(({ type }) => type)).toEqual(['turn.claimed', 'turn.stepped', 'turn.completed']);
  expect((await taken(doors.sessions())).map(({ sessionId }) => sessionId)).toContain('talk');
});

it('D18 hears the end of a turn again under its idempotency key', async () => {
  const { doors } = clientOf('ann');
  const asking = { sessionId: 'once', idempotencyKey: 'k-1' };
  const first = await doors.turn('hello', asking);
  expect(await doors.turn('hello', asking)).toMatchObject({ kind: 'complete', turnId: first.turnId });
  await expect(doors.turn('other', asking)).rejects.toMatchObject({ status: 422, code: 'ERR_IDEMPOTENCY_KEY_REUSED', mayHaveRun: false });
});

it('N18 and N53 hears what waits, and decides as the asker and as an approver', async () => {
  const { doors, consents, ledger } = clientOf('ann');
  const waits = await doors.turn(call('gate', { note: 'client-own' }), { sessionId: 'own' });
  if (waits.kind !== 'awaiting') throw new Error('It did not wait.');
  const { requestId } = waits.ask;
  expect((await consents.call(requestId)).args).toEqual({ note: 'client-own' });
  expect(await doors.decide({ requestId, approved: true }, { sessionId: 'own' })).toMatchObject({ kind: 'complete' });
  const other = await doors.turn(call('boss', { note: 'client-boss' }), { sessionId: 'boss' });
  if (other.kind !== 'awaiting') throw new Error('It did not wait.');
  const boss = clientOf('eve as approver');
  const decided = { requestId: other.ask.requestId, verdict: 'approved', turnId: other.ask.turnId };
  expect([
    await boss.consents.decide(other.ask.requestId, { approved: true }),
    await boss.consents.decide(other.ask.requestId, { approved: true }),
  ]).toEqual([decided, decided]);
  const third = await doors.turn(call('gate', { note: 'client-closed' }), { sessionId: 'closed' });
  if (third.kind !== 'awaiting') throw new Error('It did not wait.');
  expect(await consents.close(third.ask.requestId)).toEqual({ requestId: third.ask.requestId, verdict: 'closed', proven: true });
  expect((await taken(ledger.consents({ session: 'own' }))).map((item) => item.requestId)).toEqual([requestId]);
});

it('N52 remembers, lists and revokes a grant', async () => {
  const { doors, consents } = clientOf('ann');
  const waits = await doors.turn(call('gate', { note: 'client-grant' }), { sessionId: 'granted' });
  if (waits.kind !== 'awaiting') throw new Error('It did not wait.');
  const { grantId } = await consents.grant({ requestId: waits.ask.requestId, count: 1 });
  expect((await consents.grants()).map((grant) => grant.grantId)).toContain(grantId);
  await consents.revoke(grantId);
  await consents.revoke(grantId);
  expect((await consents.grants()).map((grant) => grant.grantId)).not.toContain(grantId);
});

it('D23 reads a turn piece by piece, and hears a refusal as an error with its code', async () => {
  const { doors } = clientOf('ann');
  const events = await collected(doors.stream('one two three', { sessionId: 'streamed' }));
  const text = events.map((event) => (event.kind === 'chunk' ? event.text : '')).join('');
  expect(events.at(-1)).toMatchObject({ kind: 'end', end: { kind: 'complete', output: text, turnId: expect.any(String) } });
  await expect(collected(doors.stream('', { sessionId: 'streamed' }))).rejects.toMatchObject({
    code: 'ERR_INVALID_RUN_INPUT',
    mayHaveRun: false,
  });
});

it('D23 goes on where a connection broke, and asks no turn twice', async () => {
  const { hostname, port } = new URL(world.served.url);
  let connections = 0;
  // Lets the first connection through only until it has carried a frame with an id.
  const proxy = createServer((from) => {
    const isFirst = ++connections === 1;
    const to = connect(Number(port), hostname);
    from.pipe(to);
    to.on('data', (bytes) => {
      from.write(bytes);
      if (isFirst && String(bytes).includes('\nid: ')) to.destroy();
    });
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one.on('close', () => other.destroy()).on('error', () => {});
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  world.desk.hold('tools/call');
  const { doors } = clientOf('ann', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  const reading = collected(doors.stream(call('free', { note: 'client-broken' }), { sessionId: 'broken' }));
  await world.desk.holding('tools/call');
  world.desk.release();
  const events = await reading;
  proxy.close();
  expect(connections).toBeGreaterThan(1);
  expect(events.filter(({ kind }) => kind === 'end')).toMatchObject([{ end: { kind: 'complete' } }]);
  const turns = await taken(clientOf('ann').ledger.timeline('broken'));
  expect(turns.filter(({ type }) => type === 'turn.claimed').length).toBe(1);
});

it('C3 speaks over one WebSocket, a turn at a time', async () => {
  const conversation = await clientOf('ann').converse({ sessionId: 'ws' });
  const seen: string[] = [];
  expect(await conversation.turn('hello', { onEvent: ({ kind }) => seen.push(kind) })).toMatchObject({ kind: 'complete' });
  expect(seen.at(-1)).toBe('end');
  await expect(conversation.turn('')).rejects.toMatchObject({ code: 'ERR_INVALID_RUN_INPUT' });
  const waits = await conversation.turn(call('gate', { note: 'client-ws' }));
  if (waits.kind !== 'awaiting') throw new Error('It did not wait.');
  expect(await conversation.decide({ requestId: waits.ask.requestId, approved: false })).toMatchObject({ kind: 'complete' });
  await conversation.close();
  await expect(conversation.turn('late')).rejects.toMatchObject({ mayHaveRun: false });
  await expect(doorledger({ url: world.served.url }).converse()).rejects.toMatchObject({ status: 401 });
});

it('P2 reads the ledger over all its pages', async () => {
  const { doors, ledger } = clientOf('pia');
  for (let i = 0; i < 3; i++) await doors.turn('hello', { sessionId: `page-${i}` });
  const { position } = await doors.turn('hello', { sessionId: 'page-last' });
  await taken(ledger.timeline('page-last', { at: position! }));
  const auditor = clientOf('aud as auditor').ledger;
  const ingress = await taken(auditor.ingress());
  expect(ingress.length).toBeGreaterThan(3);
  expect((await auditor.census({ by: 'outcome' })).length).toBeGreaterThan(0);
  expect((await taken(auditor.lives())).every(({ addsUp }) => addsUp)).toBe(true);
  await expect(taken(auditor.ingress({ at: 'nowhere' }))).rejects.toMatchObject({ status: 400 });
});
