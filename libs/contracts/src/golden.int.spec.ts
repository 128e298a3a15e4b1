import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode, factByType, isFrozenType, readFrozen, whyInvalid, type FactEvent } from './index.js';

/** One event of every published fact, as the first release wrote it. They are never changed: old logs hold their like. */
const folder = join(__dirname, '../golden');
const samples = readdirSync(folder).map((file) => ({ file, event: JSON.parse(readFileSync(join(folder, file), 'utf8')) as FactEvent }));

it('spec 9 keeps a golden sample of every fact', () => {
  expect(samples.map(({ file }) => file).sort()).toEqual([...factByType.keys()].map((type) => `${type}.v1.json`).sort());
});

it.each(samples)('spec 9 still reads and writes $file', ({ file, event }) => {
  expect(`${event.type}.v1.json`).toBe(file);
  expect(whyInvalid(event)).toBeUndefined();
  expect(decode(encode(event))).toEqual({ type: event.type, id: event.id, subject: event.subject, body: event });
});

it.each(samples.filter(({ event }) => isFrozenType(event.type)))(
  'L8 still reads the frozen fields of $file',
  ({ event: { type, data } }) => {
    if (isFrozenType(type)) expect({ ...data, type }).toMatchObject(readFrozen(type, data)!);
  },
);
