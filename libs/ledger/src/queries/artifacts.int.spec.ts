import { topics } from '@doorledger/contracts';
import type { StoredRecord } from '@doorledger/event-log';
import { ledgerReader } from '../ledger-reader.js';
import type { LedgerStore } from '../store.js';
import { SampleLog, ref, sha, uuid } from '../testing/sample-log.js';
import { SampleSession, placeOf } from '../testing/sample-facts.js';
import { closeTemporaryLedgers, project, temporaryLedger } from '../testing/temporary-ledger.js';

let log: SampleLog;
let store: LedgerStore;
let session: SampleSession;
beforeEach(() => {
  log = new SampleLog();
  session = new SampleSession(log, 's');
  store = temporaryLedger();
});
afterEach(closeTemporaryLedgers);

/** The file's bytes as text, or why there are none. */
async function ask(name: string, key = session.key, citedTo = -1): Promise<string> {
  const reading = await ledgerReader(store, log.topics).artifact(key, uuid(name), citedTo);
  if (reading.kind !== 'stored') return reading.kind;
  expect(reading.artifact).toMatchObject({ turnId: uuid('t'), keyId: uuid('key') });
  return `stored: ${Buffer.from(reading.artifact.sealed).toString()}`;
}

it('H2 and L10 show a file once a standing record names what its turn said after it', async () => {
  session.claim('t', 'r');
  session.artifact('t', 'r', 'file', 'bytes');
  const said = session.content('t', 'r', 'here is a file');
  await project(store, log);
  expect(await ask('file')).toBe('missing');
  session.step('t', 'r', 1, said);
  await project(store, log);
  expect(await ask('file')).toBe('stored: bytes');
});

it('L10 never shows a file that a lost run stored, nor one that was stored after all that stands', async () => {
  session.claim('t', 'r');
  session.step('t', 'r', 1, session.content('t', 'r', 'before'));
  session.artifact('t', 'r', 'file', 'bytes');
  session.fail('t', 'r');
  session.step('t', 'r', 2, session.content('t', 'r', 'written by a host that lost the run'));
  session.claim('next', 'r2');
  session.complete('next', 'r2', session.content('next', 'r2', 'another turn'));
  await project(store, log);
  expect(await ask('file')).toBe('missing');
});

it('L10 and L14 show what a failed resume had handed over, though the turn stays paused', async () => {
  session.claim('t', 'r');
  session.pause('t', 'r', 'request', session.content('t', 'r', 'state', 'pause.stored'));
  session.claim('t', 'r2', { resumes: sha('request') });
  session.artifact('t', 'r2', 'file', 'bytes');
  const said = placeOf(session.content('t', 'r2', 'here is a file'));
  await project(store, log);
  expect(await ask('file')).toBe('missing');
  const data = { turnId: uuid('t'), runId: uuid('r2'), errorName: 'TestError', private: said, liveToolSessions: 0 };
  log.add(session.key, { type: 'turn.failed', data });
  await project(store, log);
  expect(await ask('file')).toBe('stored: bytes');
  expect(await store.db.selectFrom('turn').select(['status', 'error_name']).executeTakeFirst()).toEqual({
    status: 'paused',
    error_name: null,
  });
});

it('H2 shows a file to its own session only', async () => {
  const other = new SampleSession(log, 'other');
  for (const [of, turn] of [
    [session, 't'],
    [other, 't2'],
  ] as const) {
    of.claim(turn, 'r');
    of.artifact(turn, 'r', `file of ${turn}`, 'bytes');
    of.complete(turn, 'r', of.content(turn, 'r', 'done'));
  }
  await project(store, log);
  expect(await ask('file of t')).toBe('stored: bytes');
  expect(await ask('file of t', other.key)).toBe('missing');
  expect(await ask('file of t', ref('nobody'))).toBe('missing');
});

it('H2 joins the parts of a large file in their order, whatever was appended twice and however late', async () => {
  session.claim('t', 'r');
  const [first] = session.artifact('t', 'r', 'file', 'one ', 'two ', 'three');
  log.addRaw(first!.topic, first!.key, first!.value, first!.headers);
  session.complete('t', 'r', session.content('t', 'r', 'done'));
  log.addRaw(first!.topic, first!.key, first!.value, first!.headers);
  await project(store, log);
  expect(await ask('file')).toBe('stored: one two three');
});

it('H2 shows no file of which a part is missing or another', async () => {
  session.claim('t', 'r');
  const cut = session.artifact('t', 'r', 'cut', 'one ', 'two ', 'three');
  const [, second] = session.artifact('t', 'r', 'mixed', 'one ', 'two');
  const [other] = session.artifact('t', 'r', 'mixed', 'another ', 'evil');
  session.complete('t', 'r', session.content('t', 'r', 'done'));
  const lost = new Set<StoredRecord | undefined>([cut[1], second, other]);
  const left = log.batches().map((batch) => ({ ...batch, records: batch.records.filter((record) => !lost.has(record)) }));
  await project(store, log, left);
  expect(await ask('cut')).toBe('missing');
  expect(await ask('mixed')).toBe('missing');
});

it('L9 says that it is behind while the private topic, or a record that the asker has met, is not read yet', async () => {
  session.claim('t', 'r');
  session.artifact('t', 'r', 'file', 'bytes');
  const said = session.content('t', 'r', 'done');
  session.complete('t', 'r', said);
  const isPrivate = ({ topic }: { topic: string }) => topic === topics.private.name;
  await project(
    store,
    log,
    log.batches().filter((batch) => !isPrivate(batch)),
  );
  expect(await ask('file')).toBe('behind');
  await project(store, log, log.batches().filter(isPrivate));
  expect(await ask('file')).toBe('stored: bytes');
  expect(await ask('another')).toBe('missing');
  expect(await ask('another', session.key, said.offset)).toBe('missing');
  expect(await ask('another', session.key, said.offset + 1)).toBe('behind');
});
