import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Peer } from '../../libs/doors/src/ws/testing/peer.js';
import { serve } from '../faults/served-process.js';
import { ConsentWorld, call, type Answer } from './consent/consent-world.js';

jest.setTimeout(120_000);
const OPERATOR = 'olga as operator';
const uuid = '00000000-0000-4000-8000-000000000000';
const why = 'it misbehaves';

let world: ConsentWorld;
beforeAll(async () => (world = await ConsentWorld.start({ gates: { free: undefined, gate: {} } })));
afterAll(() => world.stop());

const told = ({ status, body: { code } }: Answer) => [status, code];

async function remove(person: string, path: string, body?: object): Promise<Answer> {
  const init = { method: 'DELETE', headers: await world.headersOf(person), ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${world.served.url}${path}`, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

async function freeze(target: object): Promise<string> {
  const { status, body } = await world.post(OPERATOR, '/v1/freezes', { target, why });
  expect([status, Object.keys(body)]).toEqual([201, ['freezeId']]);
  return body.freezeId as string;
}
const lift = async (freezeId: string) =>
  expect(await remove(OPERATOR, `/v1/freezes/${freezeId}`, { why: 'mended' })).toMatchObject({
    status: 200,
    body: { freezeId, lifted: true },
  });

type Item = Readonly<Record<string, unknown>>;

/** The first of a list's items that `is` what is asked for, once the ledger has it. */
async function listed(path: string, is: (item: Item) => boolean): Promise<Item> {
  for (const end = Date.now() + 20_000; ; await sleep(20)) {
    const found = ((await world.get(OPERATOR, path)).body.items as Item[]).find(is);
    if (found) return found;
    if (Date.now() > end) throw new Error(`Nothing of the kind in ${path}.`);
  }
}

/** A person's reference, as the census names who asked. */
async function userRefOf(person: string): Promise<string> {
  const { headers } = await world.say(person, `whois-${person}`, 'hello');
  const turnId = headers.get('x-turn-id');
  return (await listed('/v1/ingress?limit=100', (item) => item.turnId === turnId)).userRef as string;
}

/** A call that was sent and whose host was killed before its answer. */
async function lostCall(session: string, note: string): Promise<string> {
  await world.losing(() => world.say('ann', session, call('free', { note })));
  const { callId } = await listed('/v1/tool-calls?state=outcome-unknown', () => true);
  return callId as string;
}

it('P1, P7 and E13 refuse who is no operator by 403, and record who tried what', async () => {
  const body = { target: { kind: 'everything' }, why };
  for (const person of ['ann', 'ann as auditor'])
    expect(
      [
        await world.post(person, '/v1/freezes', body),
        await remove(person, `/v1/freezes/${uuid}`),
        await world.get(person, '/v1/freezes'),
        await world.post(person, `/v1/tool-calls/${uuid}/reconcile`, { verdict: 'ran' }),
        await world.post(person, `/v1/users/${'a'.repeat(32)}/revoke`, {}),
      ].map(told),
    ).toEqual(Array.from({ length: 5 }, () => [403, 'ERR_ROLE_REQUIRED']));
  for (const op of ['freeze-set', 'freeze-lift', 'tool-call-reconcile', 'user-revoke'])
    expect(await listed('/v1/ingress?limit=100', (item) => item.op === op)).toMatchObject({
      door: 'api',
      outcome: 'refused',
      errorCode: 'ERR_ROLE_REQUIRED',
    });
  expect((await world.get(OPERATOR, '/v1/freezes')).body).toEqual({ items: [] });
});

it('P5 and P7 answer 404 for what is not there and 400, with the known fields, for what is no such request', async () => {
  const posted = (path: string, body: unknown) => world.post(OPERATOR, path, body);
  expect(told(await remove(OPERATOR, `/v1/freezes/${uuid}`))).toEqual([404, 'ERR_NOT_FOUND']);
  for (const id of [uuid, 'x', '%00'])
    expect(told(await posted(`/v1/tool-calls/${id}/reconcile`, { verdict: 'ran' }))).toEqual([404, 'ERR_NOT_FOUND']);
  expect(told(await posted('/v1/users/ann/revoke', {}))).toEqual([404, 'ERR_NOT_FOUND']);
  const bad = [
    [await posted('/v1/freezes', { target: { kind: 'everything' }, why, until: 1 }), '"target"'],
    [await posted('/v1/freezes', []), '"target"'],
    [await remove(OPERATOR, `/v1/freezes/${uuid}`, { because: 'x' }), '"why"'],
    [await posted(`/v1/tool-calls/${uuid}/reconcile`, { verdict: 'perhaps' }), '"verdict"'],
    [await posted(`/v1/users/${'a'.repeat(32)}/revoke`, { all: true }), 'no fields'],
  ] as const;
  for (const [answer, known] of bad) {
    expect(told(answer)).toEqual([400, 'ERR_INVALID_QUERY']);
    expect(answer.body.error).toContain(known);
  }
});

it.each([[{ kind: 'tool', name: 'free.pay' }], [{ kind: 'server', name: 'free' }]])(
  'P6 stops the calls of %j until it is lifted, and tells who froze it and why',
  async (target) => {
    const note = `frozen-${target.kind}`;
    const freezeId = await freeze(target);
    const { body } = await world.get(OPERATOR, '/v1/freezes');
    expect(body.items).toEqual([
      { freezeId, target, by: expect.stringMatching(/^[0-9a-f]{32}$/), why, setAt: expect.stringMatching(/Z$/) },
    ]);
    const { status, body: answer } = await world.say('ann', note, call('free', { note }));
    expect([status, answer.output]).toEqual([200, expect.stringContaining('an operator has frozen it')]);
    expect(world.desk.times(note)).toBe(0);
    await lift(freezeId);
    await lift(freezeId);
    expect((await world.say('ann', note, call('free', { note }))).body).toEqual({ output: `paid ${note}` });
  },
);

it('P6 and N22 let no approval pass a freeze: the call is spent and never runs', async () => {
  const { requestId } = await world.paused('ann', 'spent', 'gate', { note: 'spent' });
  const freezeId = await freeze({ kind: 'tool', name: 'gate.pay' });
  const answer = await world.decide('ann', 'spent', { requestId, approved: true });
  expect([answer.status, answer.body.output]).toEqual([200, expect.stringContaining('an operator has frozen it')]);
  const { consent, call: dispatched } = await world.rows(requestId, (rows) => typeof rows.consent?.not_run_at === 'number');
  expect([consent?.status, dispatched, world.desk.times('spent')]).toEqual(['approved', undefined, 0]);
  await lift(freezeId);
});

it('P6 begins no turn and carries out no decision of whom it stops, and serves everybody else', async () => {
  const { requestId } = await world.paused('cid', 'stopped', 'gate', { note: 'stopped' });
  const yes = { requestId, approved: true };
  for (const target of [{ kind: 'user', name: await userRefOf('cid') }, { kind: 'everything' }]) {
    const freezeId = await freeze(target);
    expect(told(await world.say('cid', 'stopped-too', 'hello'))).toEqual([503, 'ERR_FROZEN']);
    expect(told(await world.decide('cid', 'stopped', yes))).toEqual([503, 'ERR_FROZEN']);
    expect(told(await world.say('ann', 'goes-on', 'hello'))).toEqual(target.kind === 'user' ? [200, undefined] : [503, 'ERR_FROZEN']);
    await lift(freezeId);
  }
  expect((await world.decide('cid', 'stopped', yes)).body).toEqual({ output: 'paid stopped' });
});

it('P5 takes a person’s word on a call that nobody knows the end of, once, and on no other call', async () => {
  const callId = await lostCall('lost', 'lost');
  const say = (id: string, body: object) => world.post(OPERATOR, `/v1/tool-calls/${id}/reconcile`, body);
  expect(told(await say(callId, { verdict: 'ran', attempt: 2 }))).toEqual([409, 'ERR_CALL_SETTLED']);
  expect(await say(callId, { verdict: 'ran', why: 'The till has it.' })).toMatchObject({
    status: 200,
    body: { callId, attempt: 1, verdict: 'ran' },
  });
  expect(await listed('/v1/tool-calls?state=ran', (item) => item.callId === callId)).toMatchObject({
    reconciledBy: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  const again = await say(callId, { verdict: 'did-not-run' });
  expect([again.status, again.body]).toMatchObject([409, { code: 'ERR_CALL_SETTLED', reason: 'conflict', standing: 'ran' }]);
  await world.say('ann', 'known', call('free', { note: 'known' }));
  const known = await listed('/v1/tool-calls?state=ok', () => true);
  const settled = await say(known.callId as string, { verdict: 'did-not-run' });
  expect([settled.status, settled.body]).toMatchObject([409, { code: 'ERR_CALL_SETTLED', reason: 'not-open', standing: 'ok' }]);
});

it('T21 and P5 end a person’s conversations, tool sessions and pending requests, and nobody else’s', async () => {
  const userRef = await userRefOf('dan');
  const own = await world.paused('dan', 'dans', 'gate', { note: 'dans' });
  const other = await world.paused('eve', 'eves', 'gate', { note: 'eves' });
  await world.say('dan', 'dans-tools', call('free', { note: 'dans-tools' }));
  await world.say('eve', 'eves-tools', call('free', { note: 'eves-tools' }));
  const at = world.served.url.replace('http://', '');
  const [dans, eves] = [
    await Peer.open(at, { headers: await world.headersOf('dan') }),
    await Peer.open(at, { headers: await world.headersOf('eve') }),
  ];
  const { status, body } = await world.post(OPERATOR, `/v1/users/${userRef}/revoke`, {});
  expect([status, body]).toEqual([200, { revoked: true, consentsClosed: 1 }]);
  expect((await dans.closed).code).toBe(1008);
  eves.say({ id: 1, input: 'still here' });
  expect(await eves.terminal(1)).toMatchObject({ event: 'complete' });
  eves.socket.close();
  expect((await world.rows(own.requestId, (rows) => rows.consent?.status !== 'pending')).consent).toMatchObject({
    status: 'closed',
    reason: 'revoked',
  });
  await listed('/v1/tool-sessions?reason=revoked', () => true);
  const revoked = (await world.get(OPERATOR, '/v1/tool-sessions?reason=revoked')).body.items as Item[];
  const live = (await world.get(OPERATOR, '/v1/tool-sessions?state=live')).body.items as Item[];
  expect(revoked.length).toBeGreaterThan(0);
  expect(live.length).toBeGreaterThan(0);
  expect((await world.decide('eve', 'eves', { requestId: other.requestId, approved: true })).body).toEqual({ output: 'paid eves' });
  expect((await world.post(OPERATOR, `/v1/users/${userRef}/revoke`, {})).body).toEqual({ revoked: true, consentsClosed: 0 });
  expect(world.desk.times('dans')).toBe(0);
});

it('P1 and P6 let everybody act at a door that checks nobody, by one name, and a freeze outlives its host', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-operator-'));
  let served = await serve(dir);
  const json = { 'content-type': 'application/json' };
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${served.url}${path}`, { method, headers: json, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  try {
    const { freezeId } = (await ask('POST', '/v1/freezes', { target: { kind: 'everything' }, why })).body;
    const gone = (await ask('POST', '/v1/freezes', { target: { kind: 'everything' }, why })).body;
    expect((await ask('DELETE', `/v1/freezes/${String(gone.freezeId)}`)).status).toBe(200);
    await served.stop();
    served = await serve(dir);
    const { items } = (await ask('GET', '/v1/freezes')).body;
    expect(items).toMatchObject([{ freezeId, by: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
    expect(await ask('POST', '/invoke', { input: 'hello' })).toMatchObject({ status: 503, body: { code: 'ERR_FROZEN' } });
    expect((await ask('DELETE', `/v1/freezes/${String(freezeId)}`)).status).toBe(200);
    expect((await ask('POST', '/invoke', { input: 'hello' })).status).toBe(200);
  } finally {
    await served.stop();
    rmSync(dir, { recursive: true, force: true });
  }
});
