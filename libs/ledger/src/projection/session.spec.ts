import { SampleLog, ref, sha, uuid } from '../testing/sample-log.js';
import { SampleSession, placeOf } from '../testing/sample-facts.js';
import { rowsOf } from '../testing/fold-log.js';

let log: SampleLog;
let session: SampleSession;
beforeEach(() => {
  log = new SampleLog();
  session = new SampleSession(log, 'session');
});
const first = async (table: Parameters<typeof rowsOf>[1]) => (await rowsOf(log, table))[0];

/** turn, run, content and pause under one request. */
function pausedTurn(): void {
  session.claim('turn', 'run');
  session.pause('turn', 'run', 'request', session.content('turn', 'run', 'state', 'pause.stored'));
}

describe('a turn', () => {
  it('L9 runs, then is completed, with what its records say and the times of the log', async () => {
    session.claim('turn', 'run', { tenantRef: ref('tenant') });
    const [claimedAt, content] = [log.now, session.content('turn', 'run', 'hello')];
    log.now += 10;
    session.step('turn', 'run', 1, content);
    expect(await first('turn')).toMatchObject({ status: 'running', steps: 1, ended_at: null, tenant_ref: ref('tenant') });
    expect(await first('open_run')).toMatchObject({ run_id: uuid('run'), status: 'standing', quiet_since: log.now });
    log.now += 10;
    const answer = session.content('turn', 'run', 'bye');
    session.complete('turn', 'run', answer);
    expect(await first('turn')).toMatchObject({
      turn_id: uuid('turn'),
      session_key: session.key,
      run_id: uuid('run'),
      status: 'completed',
      claimed_at: claimedAt,
      ended_at: log.now,
      private_offset: answer.offset,
      private_hash: placeOf(answer).hash,
    });
  });

  it('L12 has an open run only while it stands or waits', async () => {
    session.claim('t1', 'r1');
    session.claim('t2', 'r2', { after: uuid('r1'), wait: true });
    expect(await rowsOf(log, 'open_run')).toMatchObject([{ status: 'standing' }, { status: 'waiting', turn_id: uuid('t2') }]);
    session.fail('t1', 'r1');
    expect(await rowsOf(log, 'open_run')).toMatchObject([{ status: 'standing', run_id: uuid('r2') }]);
    session.fail('t2', 'r2');
    expect(await rowsOf(log, 'open_run')).toEqual([]);
    expect(await rowsOf(log, 'turn')).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
  });

  it('L12 is quiet since its last standing record, renewals included', async () => {
    session.claim('turn', 'run');
    log.now += 10_000;
    session.renew('turn', 'run');
    expect(await first('open_run')).toMatchObject({ quiet_since: log.now });
    log.now += 10;
    session.renew('turn', 'another run');
    expect(await first('open_run')).toMatchObject({ quiet_since: log.now - 10 });
  });

  it('L1 is abandoned when another claim finds its lease past, and its open call is outcome-unknown', async () => {
    session.claim('t1', 'r1');
    session.dispatch('t1', 'r1', 'call');
    log.now += 31_000;
    session.claim('t2', 'r2');
    expect(await rowsOf(log, 'turn')).toMatchObject([{ status: 'abandoned' }, { status: 'running' }]);
    expect(await first('tool_call')).toMatchObject({ status: 'outcome-unknown', server: 'mail', gated: 0 });
  });

  it('L8 takes its status from the fold alone where the rest of a record breaks its schema', async () => {
    const { value, headers } = session.claim('turn', 'run');
    log = new SampleLog();
    const text = Buffer.from(value!).toString().replace('"hostId"', '"tenantRef":"no reference","hostId"');
    log.addRaw('doorledger.session.v1', session.key, Buffer.from(text), headers);
    expect(await first('turn')).toMatchObject({ status: 'running', host_id: 'host-1' });
    expect(await first('turn')).not.toHaveProperty('tenant_ref');
    expect(await first('fact')).toMatchObject({ verdict: 'stands', data: null });
  });

  it('L9 changes nothing by a copy of its claim, which stays visible as void', async () => {
    const event = log.event({
      type: 'turn.claimed',
      data: { turnId: uuid('t'), runId: uuid('r'), hostId: 'h', bootId: uuid('b'), after: null },
    });
    log.addEvent(session.key, event);
    const before = await rowsOf(log, 'turn');
    log.now += 5;
    log.addEvent(session.key, event);
    expect(await rowsOf(log, 'turn')).toEqual(before);
    expect(await rowsOf(log, 'fact')).toMatchObject([{ verdict: 'stands' }, { verdict: 'void', event_id: event.id }]);
    expect(await first('session')).toMatchObject({ turns: 1 });
  });
});

describe('a pause', () => {
  it('N9 waits for its request, and the session says which', async () => {
    pausedTurn();
    expect(await first('turn')).toMatchObject({ status: 'paused', awaiting: sha('request') });
    expect(await first('session')).toMatchObject({ awaiting: sha('request'), turns: 1 });
    expect(await first('consent')).toMatchObject({ status: 'pending', tool: 'send', party_ref: ref('party') });
  });

  it('N20 is one consent with the standing spend, and every other spend is an attempt', async () => {
    pausedTurn();
    session.claim('turn', 'resume', { resumes: sha('request') });
    session.spend('somebody else', 'request', 'declined');
    session.spend('resume', 'request', 'approved');
    session.spend('resume', 'request', 'declined');
    expect(await rowsOf(log, 'consent')).toMatchObject([{ status: 'approved', claim_id: uuid('resume'), settled_by: ref('party') }]);
    expect(await rowsOf(log, 'consent_attempt')).toMatchObject([{ stands: 0 }, { stands: 1, verdict: 'approved' }, { stands: 0 }]);
    expect(await first('turn')).toMatchObject({ status: 'running', awaiting: null });
    expect(await first('session')).toMatchObject({ turns: 1, awaiting: null });
  });

  it('L14 keeps what it wrote down when a resume fails before it spends', async () => {
    pausedTurn();
    const paused = await first('turn');
    session.claim('turn', 'resume', { resumes: sha('request') });
    session.fail('turn', 'resume');
    expect(await first('turn')).toMatchObject({ status: 'paused', awaiting: sha('request'), private_offset: paused!.private_offset });
    expect(await first('turn')).not.toHaveProperty('error_name');
  });

  it('N31 is closed with its session, and its request is settled by that record', async () => {
    pausedTurn();
    session.close('operator');
    expect(await first('consent')).toMatchObject({ status: 'closed', settled_with: 'session-closed', reason: 'operator' });
    expect(await first('session')).toMatchObject({ closed_at: log.now, closed_reason: 'operator', awaiting: null });
  });

  it('N22 says that an approved call was never sent once its run is over', async () => {
    pausedTurn();
    session.claim('turn', 'resume', { resumes: sha('request') });
    session.spend('resume', 'request', 'approved');
    session.fail('turn', 'resume');
    expect(await first('consent')).toMatchObject({ status: 'approved', not_run_at: log.now });
  });
});

it('L2 follows a call from its dispatch to its end', async () => {
  session.claim('turn', 'run');
  session.dispatch('turn', 'run', 'call');
  expect(await first('tool_call')).toMatchObject({ status: 'dispatched', attempt: 1, ended_at: null, tool: 'send' });
  session.finish('turn', 'run', 'call', 'not-sent');
  session.dispatch('turn', 'run', 'call', { attempt: 2 });
  expect(await first('tool_call')).toMatchObject({ status: 'dispatched', attempt: 2, ended_at: null });
  log.add(session.key, {
    type: 'tool-call.finished',
    data: {
      turnId: uuid('turn'),
      runId: uuid('run'),
      callId: uuid('call'),
      attempt: 2,
      outcome: 'error',
      errorClass: 'TypeError',
      durationMs: 9,
    },
  });
  expect(await first('tool_call')).toMatchObject({ status: 'error', error_class: 'TypeError', duration_ms: 9 });
});

it('L8 names the record that blocks a session', async () => {
  session.claim('turn', 'run');
  const { offset } = log.addRaw('doorledger.session.v1', session.key, Buffer.from('{'), { ce_type: 'turn.stepped' });
  expect(await first('session')).toMatchObject({ blocked_by: offset });
  expect((await rowsOf(log, 'fact'))[1]).toMatchObject({ verdict: 'void', type: 'turn.stepped', data: null });
  expect(await rowsOf(log, 'quarantine')).toEqual([]);
});
