import { encode, eventOf, topics, type Fact, type FactData } from '@doorledger/contracts';
import { ledgerApi, type LedgerApi } from '../testing/ledger-api.js';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const sha = (n: number) => String(n).padStart(64, '0');
const refs: Readonly<Record<string, string>> = {
  ann: 'a1'.repeat(16),
  bob: 'b0'.repeat(16),
  boss: 'c0'.repeat(16),
  'ann’s': 'a5'.repeat(16),
  'bob’s': 'b5'.repeat(16),
  acme: 'ac'.repeat(16),
  other: 'ef'.repeat(16),
};
/** `subject` or `subject:role` or `subject:role:tenant` */
const principalOf = (token: string) => {
  const [subject, role, tenant] = token.split(':') as [string, string?, string?];
  return { issuer: 'https://issuer.example', subject, roles: role ? [role] : [], ...(tenant !== undefined && { tenant }) };
};
const boss = 'boss:approver:acme';

let api: LedgerApi;
let at: string;
beforeAll(async () => {
  const references = {
    sessionRef: (_: string | undefined, id: string) => refs[id] ?? 'f0'.repeat(16),
    userRef: ({ subject, tenant = 'acme' }: { subject: string; tenant?: string }) =>
      (tenant === 'acme' && refs[subject]) || 'f1'.repeat(16),
    tenantRef: (tenant: string) => refs[tenant] ?? 'f2'.repeat(16),
  };
  api = await ledgerApi(references, { verify: async (token) => ({ principal: principalOf(token) }) });
  await ask(1, 'ann', 'mail', {}, { requestId: sha(1), claimId: uuid(9), verdict: 'closed', by: refs.ann!, reason: 'withdrawn' });
  await ask(2, 'ann', 'mail', { quorum: 2 });
  at = await ask(3, 'bob', 'files');
});
afterAll(() => api.close());

/** A turn of somebody at Acme that waits for request `n`, or waited for it; in a session of its own but for the two of Ann. */
async function ask(
  n: number,
  who: string,
  server: string,
  terms: Partial<FactData<'consent.minted'>> = {},
  spent?: FactData<'consent.spent'>,
): Promise<string> {
  const key = n === 1 ? 'a7'.repeat(16) : refs[`${who}’s`]!;
  const run = { turnId: uuid(10 + n), runId: uuid(20 + n) };
  const call = { callId: uuid(30 + n), gate: 'checkIn', server, tool: 'send', toolHash: sha(8) } as const;
  const facts: Fact[] = [
    { type: 'turn.claimed', data: { ...run, hostId: 'h', bootId: uuid(1), after: null, signer: refs[who]!, tenantRef: refs.acme! } },
    { type: 'consent.minted', data: { ...run, ...call, requestId: sha(n), ledger: uuid(1), partyRef: refs[who]!, ...terms } },
    { type: 'turn.paused', data: { ...run, requestId: sha(n), private: { partition: 0, offset: 0, hash: sha(7) }, liveToolSessions: 0 } },
    ...(terms.quorum ? [{ type: 'consent.voted', data: { requestId: sha(n), by: refs.boss!, approved: true } } as const] : []),
    ...(spent ? [{ type: 'consent.spent', data: spent } as const] : []),
  ];
  const origin = { source: '/doorledger/test/h', now: Date.now };
  const records = facts.map((fact) => ({ key, ...encode(eventOf(fact, origin)) }));
  const { topic, partition, offset } = (await api.log.append(topics.session.name, records)).at(-1)!;
  return `${topic}:${partition}:${offset}`;
}

async function get(path: string, who?: string) {
  const { statusCode, body, headers } = await api.app.inject({
    url: `/v1/consents${path}`,
    headers: who === undefined ? {} : { authorization: `Bearer ${who}` },
  });
  return { status: statusCode, headers, body: JSON.parse(body) as { items: { requestId: string }[]; cursor?: string } };
}
const ids = async (query: string, who: string) =>
  (await get(`?at=${at}${query}`, who)).body.items.map(({ requestId }) => Number(requestId)).sort();

it('P2 and P3 show requests with the caller’s own write, narrowed by what was asked for', async () => {
  expect((await get(`?at=${at}&server=files`, 'watcher:auditor')).body.items).toEqual([
    {
      ...{
        requestId: sha(3),
        state: 'pending',
        became: { state: 'pending' },
        turnId: uuid(13),
        callId: uuid(33),
        sessionRef: refs['bob’s'],
      },
      ...{ party: refs.bob, gate: 'checkIn', server: 'files', tool: 'send', toolHash: sha(8) },
      mintedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    },
  ]);
  const found = {
    '': [1, 2, 3],
    '&state=pending': [2, 3],
    '&state=closed': [1],
    '&state=expired': [],
    [`&session=${refs['ann’s']}`]: [2],
    [`&session=${encodeURIComponent('ann’s')}`]: [2],
    [`&turn=${uuid(11)}`]: [1],
    '&tool=send&server=mail': [1, 2],
  };
  for (const [query, expected] of Object.entries(found)) expect([query, await ids(query, 'watcher:operator')]).toEqual([query, expected]);
  const first = await get(`?at=${at}&limit=2`, 'watcher:auditor');
  const second = await get(`?limit=2&cursor=${first.body.cursor}`, 'watcher:auditor');
  expect([first.body.items.length, second.body.items.length, second.body.cursor]).toEqual([2, 1, undefined]);
});

it('P2 tells of one request every vote and spend, and no argument of its call', async () => {
  const open = await get(`/${sha(2)}?at=${at}`, 'watcher:auditor');
  expect(open).toMatchObject({
    status: 200,
    headers: { 'x-doorledger-position': expect.stringMatching(/^doorledger\.session\.v1:/) as string },
  });
  expect(open.body).toMatchObject({
    state: 'pending',
    votes: { have: 1, need: 2 },
    attempts: [{ kind: 'voted', by: refs.boss, stands: true }],
  });
  const closed = await get(`/${sha(1)}`, 'watcher:auditor');
  expect(closed.body).toMatchObject({ became: { state: 'never-ran', by: 'closed' }, settledBy: refs.ann, reason: 'withdrawn' });
  expect(closed.body).toMatchObject({ attempts: [{ kind: 'spent', verdict: 'closed', stands: true }] });
  for (const { body } of [open, closed]) expect(Object.keys(body)).not.toContain('args');
});

it('P1 shows a person what was asked for them, and an approver what waits in their tenant, whatever they ask for', async () => {
  expect(await ids('', 'ann')).toEqual([1, 2]);
  expect(await ids('', 'bob')).toEqual([3]);
  expect(await ids(`&session=${refs['ann’s']}`, 'bob')).toEqual([]);
  expect(await ids('', boss)).toEqual([2, 3]);
  expect(await ids('&state=closed', boss)).toEqual([]);
  expect(await ids('', 'ann:approver:acme')).toEqual([1, 2, 3]);
  for (const who of ['boss', 'boss:approver', 'boss:approver:other', 'boss:approver:*', 'watcher:auditor:other'])
    expect([who, await ids('', who)]).toEqual([who, []]);
  const statuses = async (who: string) => Promise.all([1, 2, 3].map(async (n) => (await get(`/${sha(n)}`, who)).status));
  expect(await statuses('ann')).toEqual([200, 200, 404]);
  expect(await statuses(boss)).toEqual([404, 200, 200]);
  for (const who of ['boss', 'boss:approver:other', 'carol']) expect([who, await statuses(who)]).toEqual([who, [404, 404, 404]]);
  for (const path of ['', `/${sha(2)}`])
    expect(await get(path)).toMatchObject({ status: 401, body: { code: 'ERR_IDENTITY_NOT_VERIFIED' } });
});

it.each([
  ['?stat=pending', 'Known are: state, server, tool, session, turn, limit, cursor, at.'],
  ['?state=open', 'pending, approved, declined, closed, expired, unknown, void'],
  ['?server=', '1 to 400'],
  ['?tool=a%00b', 'control character'],
  ['?cursor=x', 'cursor'],
  ['?limit=0', 'from 1 to 100'],
  [`/${sha(1)}?limit=1`, 'Known are: at.'],
  [`?at=${topics.consent.name}:0:0`, 'topic:partition:offset'],
])('P7 refuses %s and says what is known', async (path, word) => {
  expect(await get(path, 'watcher:auditor')).toMatchObject({
    status: 400,
    body: { code: 'ERR_INVALID_QUERY', error: expect.stringContaining(word) as string },
  });
});
