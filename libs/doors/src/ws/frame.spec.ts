import fc from 'fast-check';
import { readFrame } from './frame.js';

const read = (value: unknown) => readFrame(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));

it('C3 reads a frame as a body, with an id that is a string or a number', () => {
  expect(read({ id: 'a', input: 'hello' })).toEqual({ kind: 'request', id: 'a', fields: { id: 'a', input: 'hello' } });
  expect(read({ id: 0, op: null })).toEqual({ kind: 'request', id: 0, fields: { id: 0, op: null } });
  expect(read({ decision: false })).toEqual({ kind: 'request', id: undefined, fields: { decision: false } });
  for (const scalar of ['null', '7', '"x"', '[1]', '']) expect(read(scalar)).toEqual({ kind: 'request', id: undefined, fields: {} });
});

it('C3 cancels by an id, whatever else the frame says', () => {
  expect(read({ cancel: 7, input: 'x' })).toEqual({ kind: 'cancel', id: 7 });
  expect(read({ cancel: '7', id: 8 })).toEqual({ kind: 'cancel', id: '7' });
  expect(read({ cancel: null, id: 8 })).toMatchObject({ kind: 'problem', id: 8 });
});

it('C3 takes no id that JSON would echo as another one, and none that is long', () => {
  for (const id of [null, true, {}, [], 'a'.repeat(201), 2 ** 53]) expect(read({ id })).toMatchObject({ kind: 'problem', id: undefined });
  expect(read('{"id":1e999}')).toMatchObject({ kind: 'problem' });
  expect(read({ id: 'a'.repeat(200) })).toMatchObject({ kind: 'request' });
});

it('C3 and D26 report what is no JSON and what names a key twice', () => {
  for (const text of ['{', '{"input":"a"', 'hello', '{"input":"a","input":"b"}', '{"id":1,"id":2}'])
    expect(read(text)).toMatchObject({ kind: 'problem', id: undefined });
});

it('C3 never throws, whatever a frame holds', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void readFrame(bytes)));
  fc.assert(fc.property(fc.json(), (text) => void readFrame(Buffer.from(text))));
});
