import { encode, eventOf, type Fact } from '@doorledger/contracts';
import { StoredRecord } from '../stored-record.js';
import { readSessionRecord } from './record.js';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const fact: Fact = { type: 'turn.claimed', data: { turnId: id(1), runId: id(2), hostId: 'a', bootId: id(3), after: null } };
const event = eventOf(fact, { source: '/doorledger/test/a', now: () => 0 });
const { value, headers } = encode(event);
const stored = (v: Uint8Array | null, h: Readonly<Record<string, string>>) =>
  new StoredRecord('doorledger.session.v1', 2, 7, 0, 0, 'key', v, h);

it('L8 reads the kind from the headers and the frozen fields from the body', () => {
  expect(readSessionRecord(stored(value, headers))).toEqual({
    position: { partition: 2, offset: 7 },
    id: event.id,
    type: 'turn.claimed',
    subject: id(1),
    frozen: expect.objectContaining({ type: 'turn.claimed', runId: id(2), after: null }) as object,
  });
});

it('L8 keeps kind, id and subject of a record whose frozen fields cannot be read', () => {
  const broken = Buffer.from(JSON.stringify({ ...event, data: { ...event.data, after: 7 } }));
  for (const body of [null, Buffer.from('{'), broken])
    expect(readSessionRecord(stored(body, headers))).toMatchObject({
      type: 'turn.claimed',
      id: event.id,
      subject: id(1),
      frozen: undefined,
    });
});

it('L8 has no frozen fields for a type that no claim depends on', () => {
  expect(readSessionRecord(stored(value, { ...headers, ce_type: 'gate.observed' })).frozen).toBeUndefined();
  expect(readSessionRecord(stored(value, {})).type).toBeUndefined();
});
