import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { encode, eventOf, factByType, type Fact } from '@doorledger/contracts';
import { type EventLog } from '@doorledger/event-log';
import { LedgerGenerations, replay } from '@doorledger/ledger';
import { ledgerApi, type LedgerApi } from '../testing/ledger-api.js';

const host = { hostId: 'h', bootId: '00000000-0000-4000-8000-000000000003' };
const at = Date.parse('2026-01-15T09:30:00Z');

let dir: string;
let log: EventLog;

let app: NestFastifyApplication;

let api: LedgerApi;
beforeAll(async () => {
  api = await ledgerApi({});
  ({ dir, log, app } = api);
});
afterAll(() => api.close());

async function append(fact: Fact): Promise<void> {
  const event = eventOf(fact, { source: '/doorledger/test/h', now: Date.now });
  await log.append(factByType.get(fact.type)!.topic.name, [{ key: 'h', ...encode(event) }]);
}

async function get(url: string) {
  const { statusCode, body } = await app.inject({ url });
  return { status: statusCode, body: JSON.parse(body) as unknown };
}

const record = (seq: number, more: object): Fact => ({
  type: 'ingress.recorded',
  data: { ...host, at, door: 'turn', outcome: 'served', bearerPresent: false, durationMs: 1, seq, ...more },
});

it('P2 and E12 say how the doors answered and whether it adds up, with all that is on the log when asked', async () => {
  await append({ type: 'host.started', data: { ...host, version: '1', foldVersion: 1, lastSeq: 0, durableSeq: 0 } });
  await append(record(1, {}));
  await append(record(2, { outcome: 'refused', errorCode: 'ERR_INVALID_RUN_INPUT' }));
  const reason = 'refused/turn/ERR_INVALID_RUN_INPUT';
  await append({ type: 'ingress.counted', data: { ...host, reason, from: at, to: at, count: 5, seqs: [[3, 5]] } });
  await append({ type: 'host.alive', data: { ...host, version: '1', foldVersion: 1, lastSeq: 9, durableSeq: 7 } });
  const life = { ...host, issued: 9, recorded: 2, counted: 5, unknown: 0, doubled: 0, addsUp: true };
  expect(await get('/v1/census/check')).toMatchObject({
    status: 200,
    body: { addsUp: true, items: [{ ...life, state: 'running', pending: 2 }] },
  });
  expect(await get('/v1/census?by=outcome,cause&from=2026-01-15T09:00:00Z&to=2026-01-15T10:00:00%2B00:00&window=hour')).toEqual({
    status: 200,
    body: {
      from: '2026-01-15T09:00:00.000Z',
      to: '2026-01-15T10:00:00.000Z',
      requests: 7,
      pending: 0,
      unknown: 0,
      items: [
        { window: '2026-01-15T09:00:00.000Z', outcome: 'refused', cause: 'ERR_INVALID_RUN_INPUT', requests: 6, recorded: 1, counted: 5 },
        { window: '2026-01-15T09:00:00.000Z', outcome: 'served', requests: 1, recorded: 1, counted: 0 },
      ],
    },
  });
  expect(await get('/v1/census')).toMatchObject({ status: 200, body: { requests: 0, pending: 2, items: [] } });
  await append({ type: 'host.stopped', data: { ...host, version: '1', foldVersion: 1, lastSeq: 9, durableSeq: 7 } });
  expect(await get('/v1/census/check')).toMatchObject({
    body: { addsUp: true, items: [{ ...life, state: 'stopped', unknown: 2, pending: 0 }] },
  });
});

it('E12 says no where a place was told twice, and a replay says the same', async () => {
  await append(record(2, {}));
  expect(await get('/v1/census/check?limit=1')).toMatchObject({
    status: 200,
    body: { addsUp: false, items: [{ doubled: 1, addsUp: false }] },
  });
  expect(await replay({ log, generations: new LedgerGenerations(dir) })).toMatchObject({ isEqual: true });
});

it.each([
  ['/v1/census?by=user', 'by is a list of outcome, cause, door'],
  ['/v1/census?by=door,door', 'at most once'],
  ['/v1/census?from=yesterday', 'from is a time'],
  ['/v1/census?to=2026-13-01T00:00:00Z', 'to is a time'],
  ['/v1/census?from=2026-01-15T10:00:00Z&to=2026-01-15T09:00:00Z', 'before'],
  ['/v1/census?window=week', 'minute, hour, day'],
  ['/v1/census?from=2025-01-15T10:00:00Z&window=minute', 'At most 1000 windows'],
  ['/v1/census?limit=1', 'Known are: by, from, to, window, at.'],
  ['/v1/census/check?by=door', 'Known are: limit, cursor.'],
  ['/v1/census/check?cursor=x', 'cursor'],
])('P7 refuses %s and says what is known', async (url, word) => {
  expect(await get(url)).toMatchObject({
    status: 400,
    body: { code: 'ERR_INVALID_QUERY', error: expect.stringContaining(word) as string },
  });
});
