import { encode, eventOf, topics } from '@doorledger/contracts';
import { StoredRecord, factDocument } from '@doorledger/event-log';
import { factLine } from './fact-line.js';

const ID = '018f0000-0000-7000-8000-00001234abcd';
const event = eventOf({ type: 'turn.renewed', data: { turnId: ID, runId: ID } }, { source: '/doorledger/test/host', now: () => 0 });
const record = (over: { value?: Uint8Array | null; headers?: Record<string, string> } = {}) => {
  const { value, headers } = { ...encode(event), ...over };
  return new StoredRecord(topics.session.name, 3, 41, Date.UTC(2026, 0, 2, 3, 4, 5, 6), 1, ID, value, headers);
};

it('is one line for a person: log time, place, type, data with long names cut to what tells them apart', () => {
  expect(factLine(record(), false)).toMatch(/^03:04:05\.006 session:3:41 +turn\.renewed +turnId=…1234abcd runId=…1234abcd$/);
  expect(factLine(record(), true)).toContain('\x1b[');
});

it('shows where a named record lies rather than all that is said of it', () => {
  const data = { turnId: ID, runId: ID, step: 1, private: { partition: 2, offset: 7, hash: 'ab'.repeat(32) } };
  const stepped = eventOf({ type: 'turn.stepped', data }, { source: '/doorledger/test/host', now: () => 0 });
  expect(factLine(record(encode(stepped)), false)).toMatch(/ step=1 private=2:7$/);
});

it('L8 tells a record whose body cannot be read by what its headers say', () => {
  const broken = record({ value: Buffer.from('{') });
  expect(factDocument(broken)).toMatchObject({ offset: 41, type: 'turn.renewed', id: event.id, unreadable: true });
  expect(factLine(broken, false)).toMatch(/turn\.renewed +unreadable$/);
  expect(factLine(record({ value: null, headers: {} }), false)).toMatch(/unknown +unreadable$/);
});

it('gives the whole event with its place and the time of the log', () => {
  expect(factDocument(record())).toEqual({
    topic: topics.session.name,
    partition: 3,
    offset: 41,
    at: '2026-01-02T03:04:05.006Z',
    key: ID,
    event,
  });
});

it('never sends a terminal what a record could tell it to do', () => {
  const evil = { ...event, data: { ...event.data, turnId: 'a\x1b[2Jb\n', runId: '\x9b' } };
  const line = factLine(record({ value: Buffer.from(JSON.stringify(evil)), headers: { ce_type: 'x\x1b]0;' } }), false);
  expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
});
