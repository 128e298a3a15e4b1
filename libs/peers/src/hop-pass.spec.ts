import { createSecretKey } from 'node:crypto';
import { PeerKey } from '@doorledger/privacy';
import { PassCheck, writePass } from './hop-pass.js';

const keyOf = (fill: number) => new PeerKey({ peers: createSecretKey(Buffer.alloc(32, fill)) });
const life = { hostId: 'holder', bootId: 'boot' };
let now = 1_000_000;
const check = (of = life) => new PassCheck(keyOf(1), of, () => now);
const written = (to = life, key = keyOf(1), at = now) => writePass(key, 'edge', to, at).text;

it('L6 lets in once who bears a pass of this deployment, for this life of this host, in time', () => {
  const passes = check();
  const { id, text } = writePass(keyOf(1), 'edge', life, now);
  expect(passes.accept(text)).toEqual({ id, from: 'edge', to: life, at: now });
  expect(passes.accept(text)).toBeUndefined();
});

it.each([
  ['none', undefined],
  ['an empty one', ''],
  ['one that nobody signed', Buffer.from(JSON.stringify({ id: '1', from: 'edge', to: life, at: now })).toString('base64url')],
  ['one of another deployment', written(life, keyOf(2))],
  ['one for another host', written({ ...life, hostId: 'other' })],
  ['one for an earlier life of the host', written({ ...life, bootId: 'earlier' })],
  ['an old one', written(life, keyOf(1), now - 60_001)],
  ['one of the future', written(life, keyOf(1), now + 60_001)],
  ['a changed one', written().replace(/^./, (first) => (first === 'e' ? 'f' : 'e'))],
])('L6 lets nobody in with %s', (_, text) => {
  expect(check().accept(text)).toBeUndefined();
});

it('L6 remembers a used pass for as long as it would be good, and no longer', () => {
  const passes = check();
  const text = written(life, keyOf(1), now + 60_000);
  expect(passes.accept(text)).toBeDefined();
  now += 120_001;
  expect(passes.accept(written())).toBeDefined();
  expect(passes.accept(text)).toBeUndefined();
  expect(passes.remembered).toBe(1);
});
