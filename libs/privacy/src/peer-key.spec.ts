import { createSecretKey } from 'node:crypto';
import { PeerKey } from './peer-key.js';

const keyOf = (fill: number) => new PeerKey({ peers: createSecretKey(Buffer.alloc(32, fill)) });
const pair = () => [keyOf(1).channel('hop', 'edge'), keyOf(1).channel('hop', 'holder')] as const;

it('L6 knows what a host of the same deployment signed, and nothing else', () => {
  const signature = keyOf(1).sign('text');
  expect(keyOf(1).isSigned('text', signature)).toBe(true);
  expect([keyOf(1).isSigned('texts', signature), keyOf(2).isSigned('text', signature), keyOf(1).isSigned('text', '')]).toEqual([
    false,
    false,
    false,
  ]);
});

it('L6 hides what hosts say to each other, and opens it on the other side in order', () => {
  const [edge, holder] = pair();
  const sealed = ['first', 'second'].map((text) => edge.seal(text));
  expect(Buffer.concat(sealed).includes('first')).toBe(false);
  expect(sealed.map((bytes) => holder.open(bytes))).toEqual(['first', 'second']);
  expect(edge.open(holder.seal('answer'))).toBe('answer');
});

it('L6 opens no message that was repeated, left out, returned, changed or said on another hop', () => {
  const [edge, holder] = pair();
  const [first, second] = [edge.seal('first'), edge.seal('second')];
  expect(keyOf(1).channel('hop', 'holder').open(second)).toBeUndefined();
  expect(keyOf(1).channel('other', 'holder').open(first)).toBeUndefined();
  expect(keyOf(2).channel('hop', 'holder').open(first)).toBeUndefined();
  expect(keyOf(1).channel('hop', 'edge').open(first)).toBeUndefined();
  expect(holder.open(first)).toBe('first');
  expect(holder.open(first)).toBeUndefined();
});
