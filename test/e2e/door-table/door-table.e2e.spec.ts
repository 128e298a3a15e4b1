import type { CensusCheck, LifeCheck } from '@doorledger/ledger';
import { Peer } from '../../../libs/doors/src/ws/testing/peer.js';
import { apiCases } from './api-cases.js';
import { answerOf } from './asking.js';
import { CanarySearch, canary } from './canary.js';
import { served, type DoorCase } from './door-case.js';
import { frameCases, talk, type FrameCase } from './frame-cases.js';
import { guardCases, handshakeGuardCases } from './guard-cases.js';
import { handshakeCases } from './handshake-cases.js';
import { identityCases } from './identity-cases.js';
import { keptIn, type Kept } from './kept.js';
import { sessionCases } from './session-cases.js';
import { TableRun, said } from './table-run.js';
import { turnCases } from './turn-cases.js';
import { verifyingHost, type VerifyingHost } from './verifying-host.js';
import { wireCases } from './wire-cases.js';

jest.setTimeout(120_000);
let host: VerifyingHost;
let run: TableRun;
let search: CanarySearch;
const holds = (one: DoorCase) => run.holds(one);
beforeAll(async () => {
  host = await verifyingHost();
  const parts = Object.values(host.tokens).flatMap((token) => token.split('.').slice(1));
  search = new CanarySearch([...Object.values(host.tokens), ...parts]);
  run = new TableRun(host, search);
});
afterAll(() => host.remove());

it.each(turnCases)('D1, D6, D10, D11, D13, D14, D15, D18, D23 and E1 answer and tell of $name', holds);
it.each(wireCases)('D4, D5, D6, D12, D15, D17, D26, E3 and E4 answer and tell of $name', holds);
it.each(guardCases)('G1, G2, G4, G6, G7, G8, G9, G10 and E3 answer and tell of $name', holds);
it.each(identityCases)('I3, I4, I5, I6, I8, A3 and D13 answer and tell of $name', holds);
it.each(sessionCases)('O1, O2, O3 and O6 answer and tell of $name', holds);
it.each(apiCases)('P1, P3, P7, D4 and E13 answer and tell of $name', holds);
it.each([...handshakeGuardCases, ...handshakeCases])('C1, C4, D12, G1, G4, G6 and E9 answer and tell of $name', holds);

describe('in a conversation', () => {
  let peer: Peer;
  beforeAll(async () => {
    const authorization = `Bearer ${host.tokens.ann}`;
    const sessionId = `${talk}-of-bob`;
    const row = served({ person: 'bob', session: sessionId });
    await holds({ name: 'of bob', ask: { as: 'bob', body: { input: 'x', sessionId } }, status: 200, body: { output: 'x' }, row });
    run.places.count('accepted-upgrade');
    peer = await Peer.open(new URL(host.served.url).host, { headers: { authorization } }, `/conversation?sessionId=${talk}`);
  });
  afterAll(() => peer.socket.terminate());

  it.each(frameCases)('C3, E4 and E9 answer and tell of $name', async ({ say, event, data, ...place }: FrameCase) => {
    peer.frames.length = 0;
    peer.say(say);
    const id = typeof say === 'object' ? (say as { id: string }).id : undefined;
    expect(await peer.terminal(id)).toEqual({ ...(id !== undefined && { id }), event, data: said(data) });
    const record = await run.places.take(place);
    if (place.row) expect(record).toEqual(run.places.expected(place.row, undefined));
  });
});

/** What the API shows to others: an auditor sees all public facts, bob and nobody what is theirs. */
async function shownToOthers(): Promise<Kept[]> {
  const paths = ['sessions', 'ingress?limit=100', 'census?by=outcome,cause,door', 'census/check', 'log', 'turns/x'].map(
    (path) => `/v1/${path}`,
  );
  const refs = [talk, canary('wire-session')].map((id) => `/v1/sessions/${host.sessionRef(id)}/timeline`);
  const shown: Kept[] = [];
  for (const as of ['auditor', 'bob', 'nobody'] as const)
    for (const path of [...paths, ...refs, ...run.turnIds.map((id) => `/v1/turns/${id}`)]) {
      const { status, headers, body } = await answerOf(host, { method: 'GET', path, as, body: '' });
      shown.push({ where: `${path} for ${as}: ${status}`, bytes: JSON.stringify(headers) + body });
    }
  return shown;
}

it('E4, E11 and E12 have one place for each request of this table, and count exactly what is no record', async () => {
  const { bootId } = await lifeOf(({ state }) => state === 'running');
  await host.restart();
  const { issued, counted } = run.places.told;
  const life = await lifeOf((each) => each.bootId === bootId);
  const sum = Object.values(counted).reduce((a, b) => a + b);
  expect(life).toMatchObject({ state: 'stopped', issued, recorded: issued - sum, counted: sum, pending: 0, unknown: 0, addsUp: true });
  const answer = await answerOf(host, { method: 'GET', path: '/v1/census?by=outcome,cause', as: 'auditor', body: '' });
  const { items } = JSON.parse(answer.body) as { items: { outcome: string; cause: string; counted: number }[] };
  const told = items.filter((item) => item.counted > 0).map(({ cause, counted: n }) => [cause, n] as const);
  expect(Object.fromEntries(told)).toEqual(counted);
});

async function lifeOf(is: (life: LifeCheck) => boolean): Promise<LifeCheck> {
  const answer = await answerOf(host, { method: 'GET', path: '/v1/census/check', as: 'auditor', body: '' });
  return (JSON.parse(answer.body) as CensusCheck).items.find(is)!;
}

it('I9, O8, D12 and X1 leave nothing that a caller sent in any topic, table, file, log line, or answer to anybody else', async () => {
  const shown = await shownToOthers();
  const words = host.served.words();
  await host.stop();
  const everything = [...shown, { where: 'log lines', bytes: words }, ...(await keptIn(host.dir))];
  expect(everything.length).toBeGreaterThan(1000);
  expect(words.split('\n').length).toBeGreaterThan(5);
  expect(everything.flatMap(({ where, bytes }) => search.in(bytes).map((name) => `${name}: ${where}`))).toEqual([]);
});
