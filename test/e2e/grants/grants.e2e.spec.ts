import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConsentWorld, type Answer } from '../consent/consent-world.js';

jest.setTimeout(120_000);
const filesystem = join(process.cwd(), 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
let world: ConsentWorld;
let shared: string;
beforeAll(async () => {
  shared = mkdtempSync(join(tmpdir(), 'doorledger-grants-'));
  world = await ConsentWorld.start({
    gates: { gate: {}, boss: { deciders: 'role', roles: ['approver'] }, several: { deciders: 'role', roles: ['approver'], quorum: 2 } },
    servers: [
      {
        name: 'files',
        command: [process.execPath, filesystem, shared],
        scope: 'session',
        tools: { write_file: { gate: { kind: 'checkIn' } } },
      },
    ],
    rules: [
      {
        name: 'no-secrets',
        server: 'files',
        action: 'deny',
        reason: 'Secrets stay out.',
        when: { properties: { content: { const: 'secret' } }, required: ['content'] },
      },
    ],
  });
});
afterAll(async () => {
  await world.stop();
  rmSync(shared, { recursive: true, force: true });
});

const at = (name: string) => join(shared, name);
const write = (name: string, content: string) => `/call files.write_file ${JSON.stringify({ path: at(name), content })}`;
const waiting = ({ status, body }: Answer) => {
  expect(status).toBe(202);
  return body.awaiting as { requestId: string; args: Record<string, unknown>; [field: string]: unknown };
};
const granted = async (person: string, body: object) => {
  const answer = await world.post(person, '/v1/grants', body);
  expect([answer.status, answer.body]).toMatchObject([201, { grantId: expect.any(String) as string }]);
  return answer.body as { grantId: string; looseness?: object };
};
const remove = async (person: string, grantId: string) => {
  const response = await fetch(`${world.served.url}/v1/grants/${grantId}`, { method: 'DELETE', headers: await world.headersOf(person) });
  return { status: response.status, body: (await response.json()) as object };
};

it('N52 remembers one call by one click: the same call runs unasked as often as was agreed, and another call still asks', async () => {
  const asked = waiting(await world.say('ann', 'exact', write('exact.txt', 'one')));
  const { grantId, looseness } = await granted('ann', { requestId: asked.requestId, count: 2 });
  expect(looseness).toEqual({ changed: [], missing: [], further: false });
  expect((await world.decide('ann', 'exact', { requestId: asked.requestId, approved: false })).status).toBe(200);
  expect(existsSync(at('exact.txt'))).toBe(false);
  for (let i = 0; i < 2; i++) expect((await world.say('ann', 'exact', write('exact.txt', 'one'))).status).toBe(200);
  expect(readFileSync(at('exact.txt'), 'utf8')).toBe('one');
  const third = waiting(await world.say('ann', 'exact', write('exact.txt', 'one')));
  await world.decide('ann', 'exact', { requestId: third.requestId, approved: false });
  const { body } = await world.get('ann', '/v1/grants');
  expect((body.items as { grantId: string }[]).map((item) => item.grantId)).not.toContain(grantId);
});

it('N52 writes each use as a pair of its own that names the grant and the one who gave it', async () => {
  const asked = waiting(await world.say('ann', 'pair', write('pair.txt', 'one')));
  const { grantId } = await granted('ann', { requestId: asked.requestId, count: 5 });
  await world.decide('ann', 'pair', { requestId: asked.requestId, approved: false });
  const { headers } = await world.say('ann', 'pair', write('pair.txt', 'one'));
  const position = headers.get('x-doorledger-position')!;
  const { body } = await world.get('ann', `/v1/sessions/pair/timeline?limit=100&at=${position}`);
  const items = (body.items as { type: string; data: Record<string, unknown> }[]).slice(-8);
  expect(items.map(({ type }) => type)).toEqual(
    [
      ...['turn.claimed', 'turn.stepped', 'consent.minted', 'consent.spent', 'turn.renewed', 'tool-call.dispatched', 'tool-call.finished'],
      ...['turn.stepped', 'turn.completed'],
    ].slice(-8),
  );
  const [minted, spent] = ['consent.minted', 'consent.spent'].map((type) => items.find((item) => item.type === type)!.data);
  expect(minted).toMatchObject({ grant: grantId });
  expect(spent).toMatchObject({ verdict: 'approved', grant: grantId, by: expect.stringMatching(/^[0-9a-f]{32}$/) as string });
  expect(spent!.requestId).toBe(minted!.requestId);
});

it('N52 shows what a looser pattern lets through, and covers just that; a rule that denies beats it', async () => {
  const asked = waiting(await world.say('ann', 'loose', write('loose.txt', 'one')));
  const pattern = {
    type: 'object',
    properties: { path: { const: at('loose.txt') }, content: { type: 'string', maxLength: 40 } },
    required: ['path', 'content'],
    additionalProperties: false,
  };
  const { looseness } = await granted('ann', { requestId: asked.requestId, pattern, count: 10 });
  expect(looseness).toEqual({ changed: ['content'], missing: [], further: false });
  await world.decide('ann', 'loose', { requestId: asked.requestId, approved: false });
  expect((await world.say('ann', 'loose', write('loose.txt', 'two'))).status).toBe(200);
  expect(readFileSync(at('loose.txt'), 'utf8')).toBe('two');
  const denied = await world.say('ann', 'loose', write('loose.txt', 'secret'));
  expect([denied.status, denied.body.output]).toEqual([200, 'A rule denies this call: Secrets stay out.']);
  expect(readFileSync(at('loose.txt'), 'utf8')).toBe('two');
  waiting(await world.say('ann', 'loose', write('other.txt', 'two')));
  waiting(await world.say('bob', 'loose-bob', write('loose.txt', 'two')));
});

it('N52 is over the moment it is revoked, also after a restart; a restart keeps what is in force', async () => {
  const ask = async (session: string) => waiting(await world.say('cat', session, write('kept.txt', session)));
  const kept = await ask('kept');
  const pattern = { type: 'object', properties: { path: { const: at('kept.txt') } }, required: ['path'] };
  const { grantId } = await granted('cat', { requestId: kept.requestId, pattern, count: 10 });
  await world.served.stop();
  await world.up();
  expect((await world.say('cat', 'kept-2', write('kept.txt', 'kept-2'))).status).toBe(200);
  expect((await world.get('cat', '/v1/grants')).body.items).toMatchObject([{ grantId, usesLeft: 9, pattern }]);
  expect((await world.get('bob', '/v1/grants')).body.items).toEqual([]);
  expect((await world.get('olga as operator', '/v1/grants')).body.items).toEqual(
    expect.arrayContaining([expect.not.objectContaining({ pattern: expect.anything() as unknown })]),
  );
  expect((await remove('bob', grantId)).status).toBe(404);
  for (let i = 0; i < 2; i++) expect(await remove('cat', grantId)).toEqual({ status: 200, body: { grantId, inForce: false } });
  await ask('kept-3');
  await world.served.stop();
  await world.up();
  await ask('kept-4');
  expect(readFileSync(at('kept.txt'), 'utf8')).toBe('kept-2');
});

it('N52 and N50 let an approver give one for others; the asker cannot where the gate leaves it to a role, and none stands for a quorum', async () => {
  const note = { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] };
  const of = (server: string, more: object = {}) => ({ server, tool: 'pay', pattern: note, count: 3, ...more });
  expect(await world.post('ann', '/v1/grants', of('boss'))).toMatchObject({ status: 403, body: { code: 'ERR_ROLE_REQUIRED' } });
  await granted('eva as approver', of('boss', { user: 'ann' }));
  const ran = await world.say('ann', 'boss', '/call boss.pay {"note":"by-grant"}');
  expect([ran.status, ran.body]).toEqual([200, { output: 'paid by-grant' }]);
  waiting(await world.say('bob', 'boss-bob', '/call boss.pay {"note":"by-grant"}'));
  expect(await world.post('eva as approver', '/v1/grants', of('several', { user: 'ann' }))).toMatchObject({ status: 403 });
  expect(world.desk.times('by-grant')).toBe(1);
});

it('N52 refuses what is no pattern, no bound or nobody’s gate, and says what to send', async () => {
  const pattern = { type: 'object' };
  const wrong: object[] = [
    { server: 'gate', tool: 'pay', pattern },
    { server: 'gate', tool: 'pay', pattern, count: 0 },
    { server: 'gate', tool: 'pay', pattern, until: '2020-01-01T00:00:00Z' },
    { server: 'gate', tool: 'pay', pattern, count: 1, color: 'red' },
    { server: 'gate', tool: 'pay', count: 1 },
    { server: 'gate', tool: 'none', pattern, count: 1 },
    { server: 'gate', tool: 'pay', count: 1, pattern: { properties: { note: { pattern: '(a+)+$' } } } },
    { server: 'gate', tool: 'pay', count: 1, pattern: { patternProperties: { a: true } } },
    { server: 'gate', tool: 'pay', count: 1, pattern: { $ref: '#' } },
    { server: 'files', tool: 'read_file', pattern, count: 1 },
  ];
  for (const body of wrong)
    expect(await world.post('ann', '/v1/grants', body)).toMatchObject({ status: 400, body: { code: 'ERR_INVALID_QUERY' } });
  expect(await world.post('ann', '/v1/grants', { requestId: 'ab'.repeat(32), count: 1 })).toMatchObject({ status: 404 });
});

describe('N55 approve with changes', () => {
  const change = (person: string, requestId: string, args: object) =>
    world.post(person, `/v1/consents/${requestId}/decision`, { approved: true, changes: { args } });

  /** An approver's answer comes when the spend stands; the turn goes on. */
  async function ended(turnId: unknown): Promise<Answer> {
    for (;;) {
      const turn = await world.get('ann', `/v1/turns/${String(turnId)}`);
      if (turn.body.status !== 'running') return turn;
      await sleep(20);
    }
  }

  it('N55 closes the old request, mints one that names it, and runs just the new arguments, in one act', async () => {
    const asked = waiting(await world.say('ann', 'changed', write('from.txt', 'as asked')));
    const args = { path: at('to.txt'), content: 'as changed' };
    const { status, body } = await change('ann', asked.requestId, args);
    expect([status, body.verdict]).toEqual([200, 'approved']);
    expect(body.requestId).not.toBe(asked.requestId);
    const old = await world.settled(asked.requestId, 'closed');
    expect(old).toMatchObject({ consent: { status: 'closed', reason: 'replaced' }, call: undefined });
    const { consent, call } = await world.rows(body.requestId as string, ({ call: row }) => row?.status === 'ok');
    expect([consent, call]).toMatchObject([{ status: 'approved', replaces: asked.requestId }, { gated: 1 }]);
    expect([existsSync(at('from.txt')), readFileSync(at('to.txt'), 'utf8')]).toEqual([false, 'as changed']);
    const turn = await ended(body.turnId);
    expect(turn.body).toMatchObject({ status: 'completed', toolCalls: [{ status: 'ok' }] });
    expect(turn.body.output).toContain('A person changed the arguments of this call');
  });

  it('N55 takes changes at the door, too, and answers with the turn’s end', async () => {
    const asked = waiting(await world.say('ann', 'at-door', '/call gate.pay {"note":"asked"}'));
    const answer = await world.decide('ann', 'at-door', {
      requestId: asked.requestId,
      approved: true,
      changes: { args: { note: 'changed' } },
    });
    expect(answer).toMatchObject({ status: 200, body: { output: expect.stringContaining('paid changed') as string } });
    expect([world.desk.times('asked'), world.desk.times('changed')]).toEqual([0, 1]);
  });

  it('N55 and N4 refuse arguments that cannot be bound, that a rule denies, or that come without an approval; nothing moves', async () => {
    const asked = waiting(await world.say('ann', 'refused', write('refused.txt', 'one')));
    const path = `/v1/consents/${asked.requestId}/decision`;
    const raw = async (body: string) => {
      const response = await fetch(`${world.served.url}${path}`, { method: 'POST', headers: await world.headersOf('ann'), body });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const refusal = [400, 'ERR_DECISION_REQUIRED'];
    expect(await raw('{"approved":true,"changes":{"args":{"n":9007199254740993}}}')).toEqual(refusal);
    expect(await raw('{"approved":true,"changes":{"args":{"n":0.1000000000000000055511151231257827}}}')).toEqual(refusal);
    expect(await raw('{"approved":true,"changes":{"args":{"n":"\\ud800"}}}')).toEqual(refusal);
    expect(await raw('{"approved":true,"changes":{"args":[]}}')).toEqual(refusal);
    expect(await raw('{"approved":true,"changes":{"other":{}}}')).toEqual(refusal);
    expect(await raw('{"approved":false,"changes":{"args":{}}}')).toEqual(refusal);
    expect(await raw(JSON.stringify({ approved: true, changes: { args: { path: at('refused.txt'), content: 'secret' } } }))).toEqual(
      refusal,
    );
    expect(await world.pending('ann', 'refused')).toMatchObject({ body: { pending: { requestId: asked.requestId, args: asked.args } } });
    const rows = await world.rows(asked.requestId, ({ consent }) => consent !== undefined);
    expect(rows).toMatchObject({ consent: { status: 'pending' }, attempts: [] });
    expect((await world.decide('ann', 'refused', { requestId: asked.requestId, approved: true })).status).toBe(200);
    expect(readFileSync(at('refused.txt'), 'utf8')).toBe('one');
  });

  it('N55 answers a late word on the old request by its close', async () => {
    const asked = waiting(await world.say('ann', 'late', '/call gate.pay {"note":"late-asked"}'));
    await ended((await change('ann', asked.requestId, { note: 'late-changed' })).body.turnId);
    const late = await world.decide('ann', 'late', { requestId: asked.requestId, approved: true });
    expect([late.status, late.body]).toMatchObject([409, { code: 'ERR_RESUME_REFUSED', reason: 'closed-by-host' }]);
    expect([world.desk.times('late-asked'), world.desk.times('late-changed')]).toEqual([0, 1]);
  });
});
