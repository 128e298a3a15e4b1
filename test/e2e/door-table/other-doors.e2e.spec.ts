import { exchange } from '../../../libs/doors/src/ws/testing/peer.js';
import { answerOf } from './asking.js';
import { CanarySearch, canary } from './canary.js';
import { served, type Ask, type DoorCase, type ExpectedRow } from './door-case.js';
import { TableRun } from './table-run.js';
import { openHost } from './tested-host.js';

jest.setTimeout(120_000);
const search = new CanarySearch([]);
const said = { input: canary('said') };
const nobodys = { ...served({ bearerPresent: false, person: undefined, admission: undefined }) };
const passes = { status: 200, body: { output: said.input }, row: nobodys } as const;
const early = (errorCode: string): ExpectedRow => ({ door: 'request', outcome: 'cross-site-refused', errorCode, bearerPresent: false });
const wrongOrigin = { status: 403, body: 'ERR_ORIGIN_NOT_ALLOWED', row: early('ERR_ORIGIN_NOT_ALLOWED') } as const;
const wrongHost = { status: 421, body: 'ERR_HOST_NOT_ALLOWED', row: early('ERR_HOST_NOT_ALLOWED') } as const;
const from = (headers: Ask['headers']): Ask => ({ as: 'nobody', body: said, headers: { host: 'doors.example', ...headers } });

const listCases: readonly DoorCase[] = [
  { name: 'a listed host on any port', ask: from({ host: 'Doors.Example:1234' }), ...passes },
  { name: 'a host that is listed with its port', ask: from({ host: 'inner.example:8443' }), ...passes },
  { name: 'the same host on another port', ask: from({ host: 'inner.example:1' }), ...wrongHost },
  { name: 'a name of this machine, which is not listed', ask: from({ host: 'localhost' }), ...wrongHost },
  { name: 'a host that only a proxy names', ask: from({ host: 'elsewhere.example', 'x-forwarded-host': 'doors.example' }), ...wrongHost },
  { name: 'a listed page', ask: from({ origin: 'https://app.example' }), ...passes },
  { name: 'a listed page across sites', ask: from({ origin: 'https://app.example:443', 'sec-fetch-site': 'cross-site' }), ...passes },
  { name: 'its own page, which is not listed', ask: from({ origin: 'https://doors.example' }), ...wrongOrigin },
];

describe('a host with lists, and without a verifier', () => {
  let run: TableRun;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const host = await openHost({
      DOORLEDGER_GUARD_HOSTS: 'doors.example,inner.example:8443,127.0.0.1',
      DOORLEDGER_GUARD_ORIGINS: 'https://app.example',
    });
    run = new TableRun(host, search);
    remove = () => host.remove();
  });
  afterAll(() => remove());

  it.each(listCases)('G5, G7 and E3 answer and tell of $name', (one) => run.holds(one));

  it.each(['session-list', 'session-transcript', 'session-pending', 'session-close'])('I1 and E1 serve no %s', (op) => {
    const sessionId = canary('session');
    const row: ExpectedRow = {
      door: 'session-op',
      op,
      outcome: 'refused',
      errorCode: 'ERR_SESSION_OP_NEEDS_IDENTITY',
      bearerPresent: false,
      session: sessionId,
    };
    const ask: Ask = { ...from({}), body: { op, sessionId } };
    return run.holds({ name: op, ask, status: 501, body: 'ERR_SESSION_OP_NEEDS_IDENTITY', row });
  });

  it('R1 and E1 refuse the second of two messages that come to a session at once, and tell of both', async () => {
    const body = JSON.stringify({ input: 'x', sessionId: canary('raced') });
    const head = `POST /invoke HTTP/1.1\r\nHost: doors.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const port = Number(new URL(run.host.served.url).port);
    const answers = await exchange(port, `${head}\r\n${body}${head}Connection: close\r\n\r\n${body}`);
    expect(answers.match(/HTTP\/1\.1 \d+|"code":"\w+"|"output":"x"/g)).toEqual([
      'HTTP/1.1 200',
      '"output":"x"',
      'HTTP/1.1 409',
      '"code":"ERR_CONCURRENT_RUN"',
    ]);
    const session = canary('raced');
    const rows = [await run.places.take({ row: nobodys }), await run.places.take({ row: nobodys })];
    const refused: ExpectedRow = {
      door: 'turn',
      outcome: 'refused',
      errorCode: 'ERR_CONCURRENT_RUN',
      errorName: 'TurnError',
      bearerPresent: false,
      session,
    };
    expect(rows.sort((a, b) => a!.outcome.localeCompare(b!.outcome))).toEqual([
      run.places.expected(refused, undefined),
      run.places.expected({ ...nobodys, session }, undefined),
    ]);
  });
});

describe('a host that trusts no proxy and serves nobody anonymously', () => {
  let run: TableRun;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const issuer = 'http://127.0.0.1:9';
    const host = await openHost({
      DOORLEDGER_OIDC_ISSUER: issuer,
      DOORLEDGER_OIDC_AUDIENCES: 'doors',
      DOORLEDGER_OIDC_JWKS_URI: `${issuer}/keys`,
    });
    run = new TableRun(host, search);
    remove = () => host.remove();
  });
  afterAll(() => remove());

  it.each<[string, Ask]>([
    ['a message without a token', { as: 'nobody', body: said }],
    ['an operation without one', { as: 'nobody', body: { op: 'session-list' } }],
    ['a handshake without one', { as: 'nobody', isUpgrade: true }],
    ['a token of another scheme', { as: 'nobody', body: said, headers: { authorization: `Basic ${canary('password')}` } }],
    ['a token that is blank', { as: 'nobody', body: said, headers: { authorization: 'Bearer   ' } }],
  ])('I2 and I3 ask who it is: %s', async (_what, ask) => {
    const answer = await answerOf(run.host, ask);
    expect([answer.status, answer.headers['www-authenticate'], (JSON.parse(answer.body) as { code: string }).code]).toEqual([
      401,
      'Bearer',
      'ERR_IDENTITY_NOT_VERIFIED',
    ]);
  });

  it('G10 takes no host from whom it does not trust', async () => {
    const ask: Ask = { as: 'nobody', body: said, headers: { origin: 'https://app.example', 'x-forwarded-host': 'app.example' } };
    expect(await answerOf(run.host, ask)).toMatchObject({ status: 403 });
  });
});
