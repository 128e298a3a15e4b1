import { topics, type Fact } from '@doorledger/contracts';
import { SampleLog, ref, uuid } from '../testing/sample-log.js';
import { SampleSession, ingressOf, placeOf } from '../testing/sample-facts.js';
import { foldLog, rowsOf } from '../testing/fold-log.js';

let log: SampleLog;
beforeEach(() => (log = new SampleLog()));
const first = async (table: Parameters<typeof rowsOf>[1]) => (await rowsOf(log, table))[0];

describe('ingress', () => {
  it('E12 is one row per record, however often it was appended, and two where two records have one place', async () => {
    const { value, headers, key } = ingressOf(log, 1, 'a');
    log.addRaw(topics.ingress.name, key, value, headers);
    ingressOf(log, 2, 'a');
    ingressOf(log, 2, 'a', { outcome: 'identity-refused', identityFailure: 'expired', claimedUser: true });
    expect(await rowsOf(log, 'ingress')).toMatchObject([
      { seq: 1, outcome: 'served', claimed_user: 0, session_key: ref('a') },
      { seq: 2, outcome: 'served', claimed_user: 0 },
      { seq: 2, outcome: 'identity-refused', identity_failure: 'expired', claimed_user: 1 },
    ]);
  });

  it('E12 keeps records of somebody else’s door outside the host’s count', async () => {
    ingressOf(log, 1, 'a');
    ingressOf(log, 1, 'a', { source: 'external' });
    expect((await rowsOf(log, 'ingress')).map((row) => row.external)).toEqual([0, 1]);
  });

  it('E12 keeps exact counts with the places they stand for, one row per event', async () => {
    const data = { hostId: 'h', bootId: uuid('b'), reason: 'unparseable', from: 1, to: 2, count: 3, seqs: [[1, 3]] as [number, number][] };
    const event = log.event({ type: 'ingress.counted', data });
    log.addEvent('h', event);
    log.addEvent('h', event);
    expect(await rowsOf(log, 'ingress_count')).toMatchObject([{ event_id: event.id, count: 3, seqs: '[[1,3]]' }]);
  });

  it.each([
    ['unrouted', null, null, 'unrouted'],
    ['refused/turn/ERR_INVALID_RUN_INPUT', 'refused', 'turn', 'ERR_INVALID_RUN_INPUT'],
    ['failed/turn/', 'failed', 'turn', null],
    ['a/b', null, null, 'a/b'],
    ['/b/c', null, null, '/b/c'],
    ['a/b/c/d', null, null, 'a/b/c/d'],
  ])('E6 reads of the reason %s what was merged', async (reason, outcome, door, cause) => {
    const data = { hostId: 'h', bootId: uuid('b'), reason, from: 1, to: 2, count: 1, seqs: [[1, 1]] as [number, number][] };
    log.add('h', { type: 'ingress.counted', data });
    expect(await rowsOf(log, 'ingress_count')).toMatchObject([{ reason, outcome, door, cause }]);
  });
});

describe('tool sessions', () => {
  const opened = {
    toolSessionId: uuid('tool session'),
    server: 'mail',
    tool: 'send',
    scope: 'run',
    keyHash: 'abcdef012345',
    hostId: 'h',
    bootId: uuid('b'),
    turnId: uuid('t'),
    runId: uuid('r'),
    callId: uuid('c'),
  } as const;
  const add = (fact: Fact) => log.add(opened.keyHash, fact);

  it('T40 are closed by the first close', async () => {
    add({ type: 'tool-session.started', data: opened });
    log.now += 5;
    add({ type: 'tool-session.reused', data: { ...opened, calls: 2 } });
    expect(await first('tool_session')).toMatchObject({ started_at: log.now - 5, used_at: log.now, calls: 2 });
    add({
      type: 'tool-session.close-failed',
      data: { ...opened, calls: 2, reason: 'host-lost', cleanupMs: 0, ageMs: 9, errorClass: 'Gone' },
    });
    add({ type: 'tool-session.closed', data: { ...opened, calls: 3, reason: 'run-end', cleanupMs: 1, ageMs: 12 } });
    expect(await rowsOf(log, 'tool_session')).toMatchObject([{ close_reason: 'host-lost', close_error_class: 'Gone', age_ms: 9 }]);
  });

  it('X0 are refused under another key than their own', async () => {
    log.add('another key', { type: 'tool-session.started', data: opened });
    expect(await rowsOf(log, 'tool_session')).toEqual([]);
    expect(await rowsOf(log, 'quarantine')).toMatchObject([{ why: 'key', type: 'tool-session.started' }]);
  });
});

it('E11 knows each life of a host, its last issued and last durable place', async () => {
  const host = { hostId: 'h', bootId: uuid('b'), version: '1', foldVersion: 1 };
  log.add('h', { type: 'host.started', data: { ...host, lastSeq: 0, durableSeq: 0 } });
  const startedAt = log.now;
  const event = log.event({ type: 'host.alive', data: { ...host, lastSeq: 5, durableSeq: 4 } });
  log.addEvent('h', event);
  log.now += 10;
  log.add('h', { type: 'host.stopped', data: { ...host, lastSeq: 9, durableSeq: 9 } });
  log.addEvent('h', event);
  expect(await rowsOf(log, 'host')).toMatchObject([{ last_seq: 9, durable_seq: 9, started_at: startedAt, stopped_at: startedAt + 10 }]);
});

describe('private content', () => {
  it('L10 is kept by place with the hash of its record, and the facts that name it by theirs', async () => {
    const session = new SampleSession(log, 's');
    session.claim('t', 'r');
    const content = session.content('t', 'r', 'hello');
    session.step('t', 'r', 1, content);
    const { partition, offset, hash } = placeOf(content);
    expect(await first('message')).toMatchObject({ partition, offset, hash, sealed: Buffer.from('hello'), session_key: ref('s') });
    expect((await rowsOf(log, 'fact'))[1]).toMatchObject({ private_partition: partition, private_offset: offset, private_hash: hash });
  });

  it('X1 keeps the last name of a person and of a session, sealed, under their own key only', async () => {
    const sealed = (text: string) => ({ keyId: uuid('k'), sealed: Buffer.from(text).toString('base64') });
    log.add(ref('user'), { type: 'subject.named', data: { userRef: ref('user'), ...sealed('old') } });
    log.add(ref('user'), { type: 'subject.named', data: { userRef: ref('user'), ...sealed('new') } });
    log.add(ref('s'), { type: 'session.named', data: { sessionRef: ref('s'), ...sealed('id') } });
    log.add(ref('s'), { type: 'session.named', data: { sessionRef: ref('victim'), ...sealed('id') } });
    expect(await rowsOf(log, 'subject')).toMatchObject([
      { ref: ref('user'), kind: 'person', sealed: Buffer.from('new') },
      { ref: ref('s'), kind: 'session' },
    ]);
    expect(await rowsOf(log, 'quarantine')).toHaveLength(1);
  });

  it('X3 is not kept below the offset that retention names', async () => {
    const session = new SampleSession(log, 's');
    const [gone, kept] = [session.content('t', 'r', 'old'), session.content('t', 'r', 'new')];
    log.addRaw(topics.private.name, ref('s'), null, {});
    const { changes } = await foldLog(log, new Map([[`${topics.private.name}:${gone.partition}`, kept.offset]]));
    const rows = [...changes.rows()];
    expect(rows.flatMap((of) => (of.table === 'message' ? of.rows : []))).toMatchObject([{ offset: kept.offset }]);
  });
});

describe('quarantine', () => {
  it('L8 holds the place and the reason of what nobody can read, and nothing of its content', async () => {
    const { value, headers } = ingressOf(log, 1, 'a');
    const topic = topics.ingress.name;
    log.addRaw(topic, 'a', Buffer.from('{"secret'), { ce_type: 'secret' });
    log.addRaw(topic, 'a', null, headers);
    log.addRaw(topic, 'a', Buffer.from(Buffer.from(value!).toString().replace('served', 'secret')), headers);
    log.addRaw(topics.toolSession.name, 'a', value, headers);
    const rows = await rowsOf(log, 'quarantine');
    expect(rows.map(({ type, why }) => [type, why])).toEqual([
      [null, 'unreadable'],
      ['ingress.recorded', 'unreadable'],
      ['ingress.recorded', '/data/outcome (const)'],
      ['ingress.recorded', 'wrong-topic'],
    ]);
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it('L8 does not hold types that this release does not know', async () => {
    const { value, headers } = ingressOf(log, 1, 'a');
    const text = Buffer.from(value!).toString().replace('"ingress.recorded"', '"ingress.invented"');
    log.addRaw(topics.ingress.name, 'a', Buffer.from(text), { ...headers, ce_type: 'ingress.invented' });
    expect(await rowsOf(log, 'quarantine')).toEqual([]);
  });

  it('X3 holds a cut of a topic that is never cut', async () => {
    log.add('retention', { type: 'retention.applied', data: { topic: topics.session.name, partition: 0, before: 5, by: ref('op') } });
    expect(await rowsOf(log, 'retention')).toEqual([]);
    expect(await rowsOf(log, 'quarantine')).toHaveLength(1);
  });
});
