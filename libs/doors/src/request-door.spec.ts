import type { Asking, Composer } from './composer.js';
import type { IngressEntry } from './ingress/ingress-entry.js';
import { Refused } from './refused.js';
import { RequestDoor, type Durability } from './request-door.js';
import { TurnFailure } from './turns/turn-failure.js';
import { failure, type Terminal } from './wire/terminal.js';

const turnId = '00000000-0000-7000-8000-000000000001';
const complete: Terminal = { kind: 'complete', output: 'x', turnId, position: 'p' };
const turn: Asking = { asked: { kind: 'turn', input: 'x' }, presented: {}, signal: new AbortController().signal };
const list: Asking = { ...turn, asked: { kind: 'session-op', op: 'session-list' } };

function door(
  serve: Composer['serve'],
  { durability = 'before-reply', durable = Promise.resolve() }: { durability?: Durability; durable?: Promise<void> } = {},
) {
  const filed: IngressEntry[] = [];
  const refusals: IngressEntry[] = [];
  const unexpected: unknown[] = [];
  durable.catch(() => {});
  const requests = new RequestDoor({
    composer: () => ({ serve, enter: () => Promise.reject(new Error('not asked')) }),
    ingress: { file: (entry) => (filed.push(entry), durable), fileRefusal: (entry) => void refusals.push(entry) },
    durability: { served: durability, refusals: 'buffered' },
    onUnexpected: (error) => void unexpected.push(error),
    now: () => 1000,
  });
  return { requests, filed, refusals, unexpected };
}

it('E1 and D20 file one record for each end, whether the work resolves, refuses or throws', async () => {
  const cases: [Composer['serve'], string][] = [
    [async () => complete, 'served'],
    [async () => failure('ERR_NO_PENDING_ASK', 'none'), 'refused'],
    [() => Promise.reject(new Refused(failure('ERR_SESSION_NOT_FOUND', 'none'))), 'session-refused'],
    [() => Promise.reject(new TypeError('ours')), 'failed'],
  ];
  for (const [serve, outcome] of cases) {
    const { requests, filed, refusals } = door(serve);
    await requests.serve(turn, true);
    expect([...filed, ...refusals].map((entry) => [entry.outcome, entry.door, entry.bearerPresent])).toEqual([[outcome, 'turn', true]]);
  }
});

it('E1 and E8 file a refusal that is decided at once before anything else happens', () => {
  const refused = failure('ERR_IDENTITY_NOT_VERIFIED', 'none');
  const throwing = () => {
    throw new Refused(refused);
  };
  for (const serve of [() => refused, throwing]) {
    const { requests, refusals } = door(serve);
    expect(requests.serve(turn, false)).toBe(refused);
    expect(refusals).toMatchObject([{ outcome: 'identity-refused', door: 'turn' }]);
  }
});

it('E2 keeps the verdict of admission and the person on the record of a run that broke', async () => {
  const userRef = 'a'.repeat(32);
  const { requests, refusals } = door(async (_asking, trace) => {
    trace.userRef = userRef;
    trace.admission = 'allow';
    throw new TurnFailure(turnId, new TypeError('broke'));
  });
  const terminal = await requests.serve(turn, true);
  expect(terminal).toMatchObject({ kind: 'fail', status: 500, turnId });
  expect(refusals).toMatchObject([{ outcome: 'failed', userRef, admission: 'allow', turnId, errorName: 'TypeError' }]);
});

it('D22 answers an error that is not ours by one sentence and a reference, and tells the log lines the rest', async () => {
  const { requests, unexpected } = door(() => Promise.reject(new Error('a secret of a driver')));
  const terminal = await requests.serve(turn, false);
  expect(JSON.stringify(terminal)).not.toContain('secret');
  expect(terminal).toMatchObject({ status: 500, details: { reference: expect.any(String) as string } });
  expect(unexpected).toEqual([expect.objectContaining({ message: 'a secret of a driver' })]);
});

it('E7 tells a caller whose record the log lost that it is unavailable, with the turn that stands there', async () => {
  const { requests } = door(async () => complete, { durable: Promise.reject(new Error('lost')) });
  expect(await requests.serve(turn, false)).toMatchObject({ kind: 'fail', status: 503, code: 'ERR_LOG_UNAVAILABLE', turnId });
});

it('E7 and E5 never fail a buffered request that needs no claim because its record was lost', async () => {
  const listed: Terminal = { kind: 'sessions', body: { sessions: [] } };
  const { requests, filed } = door(async () => listed, { durability: 'buffered', durable: Promise.reject(new Error('lost')) });
  expect(await requests.serve(list, false)).toBe(listed);
  expect(filed).toMatchObject([{ door: 'session-op', op: 'session-list', outcome: 'served' }]);
});

it('E13 records a call of the API that changes something, and none that reads', async () => {
  const { requests, filed, refusals } = door(async () => complete);
  const { signal } = turn;
  await requests.change('session-mint', false, signal, async () => ({ kind: 'api', status: 201, body: {} }));
  await requests.read(signal, async () => ({ kind: 'api', status: 200, body: {} }));
  expect([...filed, ...refusals]).toMatchObject([{ door: 'api', op: 'session-mint', outcome: 'served' }]);
});
