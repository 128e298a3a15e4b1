import { WatchedServer } from '../tools/watched-server.js';
import { ConsentWorld, call } from './consent-world.js';

jest.setTimeout(120_000);
let real: WatchedServer;
let world: ConsentWorld;
beforeAll(async () => {
  real = await WatchedServer.start();
  world = await ConsentWorld.start({
    gates: { gate: {}, free: undefined, watched: { observe: true }, both: {}, set: {}, late: undefined, never: {} },
    servers: [{ name: 'real', url: real.url, scope: 'session', tools: { echo: { gate: { kind: 'checkIn' } } } }],
    rules: [
      { name: 'large', server: 'both', action: 'ask', question: 'This much?' },
      { name: 'in-euro', server: 'set', action: 'rewrite', set: { currency: 'EUR' }, remove: ['rate'] },
      { name: 'sure', server: 'late', action: 'ask' },
      { name: 'too-late', server: 'late', action: 'rewrite', set: { currency: 'EUR' } },
      { name: 'no', server: 'never', action: 'deny', reason: 'Nobody pays here.' },
    ],
  });
});
afterAll(async () => {
  await world.stop();
  await real.stop();
});

interface TimelineItem {
  readonly type: string;
  readonly verdict: string;
  readonly data: Readonly<Record<string, unknown>>;
}
async function timeline(person: string, session: string, at: string): Promise<TimelineItem[]> {
  const { body } = await world.get(person, `/v1/sessions/${session}/timeline?limit=100&at=${at}`);
  return body.items as TimelineItem[];
}
const positionOf = ({ headers }: { headers: Headers }) => headers.get('x-doorledger-position')!;

it('N1, N9, N18 and N20 ask, pause and approve: a real tool is called once, with what was shown, and the timeline shows each step', async () => {
  const asked = await world.say('ann', 'real', '/call real.echo {"message":"two words"}');
  const ask = asked.body.awaiting as { requestId: string; turnId: string };
  expect([asked.status, asked.body]).toEqual([
    202,
    {
      awaiting: {
        requestId: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        turnId: asked.headers.get('x-turn-id'),
        gate: 'checkIn',
        server: 'real',
        tool: 'echo',
        args: { message: 'two words' },
      },
    },
  ]);
  expect(await world.pending('ann', 'real')).toMatchObject({ status: 200, body: { pending: ask } });
  expect(await world.say('ann', 'real', 'go on')).toMatchObject({ status: 409, body: { code: 'ERR_AWAITING_DECISION' } });
  expect(real.echoes()).toEqual(new Map());
  const decided = await world.decide('ann', 'real', { requestId: ask.requestId, approved: true });
  expect([decided.status, decided.body, decided.headers.get('x-turn-id')]).toEqual([200, { output: 'Echo: two words' }, ask.turnId]);
  expect([...real.echoes().values()]).toEqual([['two words']]);
  const steps = await timeline('ann', 'real', positionOf(decided));
  expect(steps.filter(({ verdict }) => verdict === 'stands').map(({ type }) => type)).toEqual([
    'turn.claimed',
    'turn.stepped',
    'consent.minted',
    'turn.paused',
    'turn.claimed',
    'consent.spent',
    'turn.renewed',
    'tool-call.dispatched',
    'tool-call.finished',
    'turn.stepped',
    'turn.completed',
  ]);
  const by = steps.find(({ type }) => type === 'consent.spent')!.data.by;
  expect(await world.rows(ask.requestId, ({ call: ran }) => ran?.status === 'ok')).toMatchObject({
    consent: { status: 'approved', turn_id: ask.turnId, party_ref: by, settled_by: by, not_run_at: null },
    call: { gated: 1, attempt: 1, status: 'ok' },
    attempts: ['spent approved'],
  });
});

it('N34 declines with a note: the agent is told, nothing runs, and the note is nowhere on the public log', async () => {
  const { requestId } = await world.paused('ann', 'declined', 'gate', { note: 'declined' });
  const declined = await world.decide('ann', 'declined', { requestId, approved: false, note: 'canary-note' });
  expect([declined.status, declined.body.output]).toEqual([200, 'A person declined this call, so it did not run. They said: canary-note']);
  expect(JSON.stringify(await timeline('ann', 'declined', positionOf(declined)))).not.toContain('canary-note');
  const rows = await world.settled(requestId, 'declined');
  expect(rows).toMatchObject({ consent: { status: 'declined', not_run_at: null }, call: undefined, attempts: ['spent declined'] });
  expect(world.desk.times('declined')).toBe(0);
});

it('N15 asks for several gated calls of one step in turn, also in another process and behind a decline; what has no gate runs at once', async () => {
  const input = [call('gate', { note: 'first' }), call('free', { note: 'ungated' }), call('gate', { note: 'third' })].join('\n');
  const first = (await world.say('ann', 'several', input)).body.awaiting as { requestId: string };
  expect(['first', 'ungated', 'third'].map((note) => world.desk.times(note))).toEqual([0, 1, 0]);
  await world.served.stop();
  await world.up();
  const next = await world.decide('ann', 'several', { requestId: first.requestId, approved: false });
  const third = next.body.awaiting as { requestId: string; args: object };
  expect([next.status, third.args]).toEqual([202, { note: 'third' }]);
  expect(third.requestId).not.toBe(first.requestId);
  const end = await world.decide('ann', 'several', { requestId: third.requestId, approved: true });
  expect([end.status, (end.body.output as string).split('\n').sort()]).toEqual([
    200,
    ['A person declined this call, so it did not run.', 'paid third', 'paid ungated'],
  ]);
  expect(['first', 'ungated', 'third'].map((note) => world.desk.times(note))).toEqual([0, 1, 1]);
});

it('L22 and N11 ask by a rule, then by the gate, for one call; it runs once, after both', async () => {
  const asked = await world.paused('ann', 'both', 'both', { note: 'both' });
  expect(asked).toMatchObject({ gate: 'ask', question: 'This much?' });
  const once = await world.decide('ann', 'both', { requestId: asked.requestId, approved: true });
  expect([once.status, once.body]).toMatchObject([
    202,
    { awaiting: { gate: 'checkIn', args: { note: 'both' }, replaces: asked.requestId } },
  ]);
  expect(world.desk.times('both')).toBe(0);
  const { requestId } = once.body.awaiting as { requestId: string };
  expect(await world.decide('ann', 'both', { requestId, approved: true })).toMatchObject({ status: 200, body: { output: 'paid both' } });
  expect(world.desk.times('both')).toBe(1);
});

it('N16 runs a call whose gate only observes, and says what it would have asked', async () => {
  const ran = await world.say('ann', 'watched', call('watched', { note: 'watched' }));
  expect([ran.status, ran.body]).toEqual([200, { output: 'paid watched' }]);
  const observed = (await timeline('ann', 'watched', positionOf(ran))).filter(({ type }) => type === 'gate.observed');
  expect(observed.map(({ data }) => [data.gate, data.server, data.tool])).toEqual([['checkIn', 'watched', 'pay']]);
});

it('N5 shows the arguments as a rule has rewritten them, and runs just those', async () => {
  const { requestId, args } = await world.paused('ann', 'set', 'set', { note: 'set', rate: 1.1 });
  expect(args).toEqual({ note: 'set', currency: 'EUR' });
  await world.decide('ann', 'set', { requestId, approved: true });
  expect(world.desk.orders.filter(({ note }) => note === 'set')).toEqual([{ note: 'set', currency: 'EUR' }]);
});

it('N11 does not run an approved call whose arguments a later rule changes', async () => {
  const { requestId } = await world.paused('ann', 'late', 'late', { note: 'late' });
  const { status, body } = await world.decide('ann', 'late', { requestId, approved: true });
  expect([status, body.output]).toEqual([200, 'A later rule changed the approved arguments, so the call did not run.']);
  const { consent } = await world.rows(requestId, (rows) => typeof rows.consent?.not_run_at === 'number');
  expect(consent).toMatchObject({ status: 'approved', not_run_at: expect.any(Number) as number });
  expect(world.desk.times('late')).toBe(0);
});

it('L22 denies by a rule without asking anybody', async () => {
  const { status, body } = await world.say('ann', 'never', call('never', { note: 'never' }));
  expect([status, body.output]).toEqual([200, 'A rule denies this call: Nobody pays here.']);
  expect(world.desk.times('never')).toBe(0);
});

it('N12 gives the winner’s own retry the winner’s outcome, and everybody else what stands', async () => {
  const { requestId, turnId } = await world.paused('ann', 'retried', 'gate', { note: 'retried' });
  const yes = { requestId, approved: true };
  const first = await world.decide('ann', 'retried', yes);
  const again = await world.decide('ann', 'retried', yes);
  expect([again.status, again.body, again.headers.get('x-turn-id')]).toEqual([200, first.body, turnId]);
  const other = await world.decide('ann', 'retried', { requestId, approved: false });
  expect([other.status, other.body]).toMatchObject([409, { code: 'ERR_RESUME_REFUSED', reason: 'already-answered', standing: 'approved' }]);
  expect(world.desk.times('retried')).toBe(1);
});

it('N31 and N32 close a pause: the standing close proves that the call never ran, and closing again or deciding late reads the same', async () => {
  const { requestId, turnId } = await world.paused('ann', 'closed', 'gate', { note: 'closed' });
  const path = `/v1/consents/${requestId}/close`;
  expect(await world.post('bob', path, {})).toMatchObject({ status: 404, body: { code: 'ERR_NOT_FOUND' } });
  for (let i = 0; i < 2; i++)
    expect(await world.post('ann', path, {})).toMatchObject({ status: 200, body: { requestId, verdict: 'closed' } });
  const late = await world.decide('ann', 'closed', { requestId, approved: true });
  expect([late.status, late.body]).toMatchObject([409, { code: 'ERR_RESUME_REFUSED', reason: 'closed-by-host', standing: 'closed' }]);
  const rows = await world.settled(requestId, 'closed');
  expect(rows).toMatchObject({ consent: { status: 'closed', reason: 'withdrawn' }, call: undefined });
  expect(await world.get('ann', `/v1/turns/${turnId}`)).toMatchObject({ status: 200, body: { status: 'closed' } });
  const next = await world.say('ann', 'closed', 'still there');
  expect([next.status, next.body]).toEqual([200, { output: 'still there' }]);
  expect(world.desk.times('closed')).toBe(0);
});

it('N53 leaves no word of trouble in the log lines of all this', () => expect(world.served.words()).not.toContain('"level"'));
