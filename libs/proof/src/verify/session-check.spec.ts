import { topics, type Fact, type FactData } from '@doorledger/contracts';
import type { Effect, StoredRecord } from '@doorledger/event-log';
import { ToldLog, ref, sha, uuid } from '../testing/told-log.js';
import { CallCheck } from './call-check.js';
import { ConsentCheck } from './consent-check.js';
import { SessionCheck } from './session-check.js';
import { Scratch } from './sqlite-scratch.js';
import { ToolSessionCheck } from './tool-session-check.js';
import type { Violation } from './violation.js';

let log: ToldLog;
let scratch: Scratch;
let check: SessionCheck;
let told: (Violation | undefined)[];
beforeEach(() => {
  log = new ToldLog();
  scratch = new Scratch();
  check = new SessionCheck(scratch);
  told = [];
});
afterEach(() => scratch.close());

const A = ref('a');
const add = (key: string, fact: Fact): StoredRecord => {
  const record = log.add(key, fact);
  told.push(check.take(record));
  return record;
};
const found = () => told.find((violation) => violation !== undefined);
const at = ({ topic, partition, offset }: StoredRecord) => ({ topic, partition, offset });
const aPrivate = { partition: 0, offset: 0, hash: sha('state') };

const claim = (key: string, run: string, more: Partial<FactData<'turn.claimed'>> = {}) =>
  add(key, {
    type: 'turn.claimed',
    data: { turnId: uuid('turn'), runId: uuid(run), hostId: 'host-1', bootId: uuid('boot'), after: null, ...more },
  });
function pause(key: string, run: string, request: string) {
  add(key, {
    type: 'consent.minted',
    data: {
      requestId: sha(request),
      turnId: uuid('turn'),
      runId: uuid(run),
      callId: uuid('call'),
      gate: 'checkIn',
      server: 'mail',
      tool: 'send',
      toolHash: sha('tool'),
      ledger: uuid('log'),
      partyRef: ref('party'),
    },
  });
  add(key, {
    type: 'turn.paused',
    data: { turnId: uuid('turn'), runId: uuid(run), requestId: sha(request), private: aPrivate, liveToolSessions: 0 },
  });
}
const spend = (key: string, run: string, request: string, verdict: FactData<'consent.spent'>['verdict'] = 'approved') =>
  add(key, { type: 'consent.spent', data: { requestId: sha(request), claimId: uuid(run), verdict } });
const dispatch = (key: string, run: string, more: Partial<FactData<'tool-call.dispatched'>> = {}) =>
  add(key, {
    type: 'tool-call.dispatched',
    data: { turnId: uuid('turn'), runId: uuid(run), callId: uuid('call'), attempt: 1, server: 'mail', tool: 'send', gated: false, ...more },
  });
const finish = (key: string, run: string, outcome: FactData<'tool-call.finished'>['outcome'] = 'ok', attempt = 1) =>
  add(key, {
    type: 'tool-call.finished',
    data: { turnId: uuid('turn'), runId: uuid(run), callId: uuid('call'), attempt, outcome, durationMs: 1 },
  });
/** Approved by the resume `run 2`: where its spend lies. */
function approved(key: string, request = 'request'): StoredRecord {
  claim(key, 'run 1');
  pause(key, 'run 1', request);
  claim(key, 'run 2', { after: uuid('run 1'), resumes: sha(request) });
  return spend(key, 'run 2', request);
}
const gated = ({ partition, offset }: StoredRecord) => ({ gated: true, requestId: sha('request'), spend: { partition, offset } });

it('V2 finds nothing in an approved call that ran once, its copies and void attempts included', () => {
  const stood = approved(A);
  spend(A, 'run 2', 'request');
  spend(A, 'run 3', 'request', 'closed');
  dispatch(A, 'run 2', gated(stood));
  dispatch(A, 'run 2', gated(stood));
  finish(A, 'run 2', 'not-sent');
  dispatch(A, 'run 2', { ...gated(stood), attempt: 2 });
  finish(A, 'run 2', 'ok', 2);
  finish(A, 'run 2', 'ok', 2);
  expect(found()).toBeUndefined();
});

it('V2 and V3 find a gated dispatch that cites another place than its spend, whatever the times are', () => {
  const stood = approved(A);
  log.now -= 60_000;
  const sent = dispatch(A, 'run 2', { ...gated(stood), spend: { partition: stood.partition, offset: stood.offset - 1 } });
  expect(found()).toMatchObject({ statement: 'approved-spend', positions: [at(stood), at(sent)] });
});

it.each<[string, Partial<FactData<'tool-call.dispatched'>>]>([
  ['without a request', { gated: true }],
  ['of another tool than was asked about', { ...gated({ partition: 0, offset: 3 } as StoredRecord), tool: 'delete' }],
  ['that cites no spend', { gated: true, requestId: sha('request') }],
])('V2 finds a gated dispatch %s', (_what, data) => {
  const stood = approved(A);
  const { spend: cited } = data;
  const sent = dispatch(A, 'run 2', { ...data, ...(cited && { spend: { partition: stood.partition, offset: stood.offset } }) });
  expect(found()).toMatchObject({ statement: 'approved-spend', positions: expect.arrayContaining([at(sent)]) as unknown });
});

it('V2 finds one request spent in two sessions', () => {
  const first = approved(A);
  const second = approved(ref('b'));
  expect(found()).toMatchObject({ statement: 'one-spend', positions: [at(first), at(second)] });
});

it('V2 finds a call dispatched again by a later run', () => {
  claim(A, 'run 1');
  const first = dispatch(A, 'run 1');
  finish(A, 'run 1');
  add(A, { type: 'turn.failed', data: { turnId: uuid('turn'), runId: uuid('run 1'), errorName: 'Test', liveToolSessions: 0 } });
  claim(A, 'run 2', { after: uuid('run 1') });
  const second = dispatch(A, 'run 2');
  expect(found()).toMatchObject({ statement: 'one-dispatch', positions: [at(first), at(second)] });
});

it.each(['ok', 'error'] as const)('V2 finds a call that ended %s though its dispatch is void', (outcome) => {
  claim(A, 'run 1');
  add(A, { type: 'session.closed', data: { sessionRef: A, reason: 'owner' } });
  dispatch(A, 'run 1');
  finish(A, 'run 1', 'not-sent');
  expect(found()).toBeUndefined();
  const ended = finish(A, 'run 1', outcome);
  expect(found()).toMatchObject({ statement: 'one-dispatch', positions: [at(ended)] });
});

describe('where a fold lets everything stand', () => {
  const place = { topic: topics.session.name, partition: 0 };
  const dispatched = (attempt: number, requestId?: string): Effect => ({
    kind: 'call-dispatched',
    callId: uuid('call'),
    attempt,
    runId: uuid('run 1'),
    turnId: uuid('turn'),
    ...(requestId !== undefined && { requestId }),
  });
  let consents: ConsentCheck;
  let calls: CallCheck;
  beforeEach(() => {
    consents = new ConsentCheck(scratch);
    calls = new CallCheck(scratch, consents);
  });
  const record = () => log.add(A, { type: 'turn.renewed', data: { turnId: uuid('turn'), runId: uuid('run 1') } });

  it('V2 finds an attempt after one that did not end not-sent', () => {
    expect(calls.take(dispatched(1), record(), { ...place, offset: 0 })).toBeUndefined();
    expect(calls.take(dispatched(2), record(), { ...place, offset: 1 })).toMatchObject({
      statement: 'one-dispatch',
      positions: [{ offset: 0 }, { offset: 1 }],
    });
  });

  it('V2 finds a dispatch after the standing close of its request', () => {
    consents.take({ kind: 'request-settled', requestId: sha('request'), verdict: 'closed', by: 'spend' }, { ...place, offset: 4 });
    expect(calls.take(dispatched(1, sha('request')), record(), { ...place, offset: 5 })).toMatchObject({
      statement: 'no-dispatch-after-close',
      positions: [{ offset: 4 }, { offset: 5 }],
    });
  });
});

describe('tool sessions', () => {
  const opened = {
    toolSessionId: uuid('tool session'),
    server: 'mail',
    tool: 'send',
    scope: 'run',
    keyHash: 'abcdef012345',
    hostId: 'host-1',
    bootId: uuid('boot'),
    turnId: uuid('turn'),
    runId: uuid('run'),
    callId: uuid('call'),
  } as const;
  const closed = { ...opened, calls: 1, reason: 'run-end', cleanupMs: 1, ageMs: 1 } as const;
  const judge = (...facts: Fact[]) => {
    const sessions = new ToolSessionCheck(scratch);
    const records = facts.map((fact) => log.add(opened.keyHash, fact));
    // A copy of the first record is no second start.
    return [...records.slice(0, 1), ...records].map((one) => sessions.take(one)).find((violation) => violation !== undefined);
  };
  const started: Fact = { type: 'tool-session.started', data: opened };

  it('V2 takes later closes for attempts and copies for what they copy', () => {
    expect(judge(started, { type: 'tool-session.closed', data: closed }, { type: 'tool-session.closed', data: closed })).toBeUndefined();
  });

  it('V2 finds a tool session that was started twice, and one that nobody started', () => {
    expect(judge(started, started)).toMatchObject({ statement: 'one-tool-session', positions: [{ offset: 0 }, { offset: 1 }] });
    expect(judge({ type: 'tool-session.closed', data: { ...closed, toolSessionId: uuid('other') } })).toMatchObject({
      statement: 'one-tool-session',
      positions: [{ offset: 2 }],
    });
  });
});

it('V2 remembers what does not fit in memory', () => {
  const map = scratch.map<{ n: number }>();
  for (let n = 0; n < 25_000; n++) map.set(`id ${n}`, { n });
  expect([map.get('id 0'), map.get('id 24999'), map.get('other')]).toEqual([{ n: 0 }, { n: 24_999 }, undefined]);
});
