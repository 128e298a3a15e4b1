import { encodingOf } from './encoding.js';

const both = { br: 1, gzip: 1 };

it.each([
  [undefined, both, undefined],
  ['gzip, deflate, br', both, 'br'],
  ['gzip', both, 'gzip'],
  ['br;q=0, gzip;q=0.5', both, 'gzip'],
  ['br', { gzip: 1 }, undefined],
  ['BR', both, 'br'],
  ['identity', both, undefined],
])('P5 answers %s with what both sides have', (accepted, has, expected) => expect(encodingOf(accepted, has)).toBe(expected));
