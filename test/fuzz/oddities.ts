/** What chance chooses from, the same for the same seed. */
export interface Chance {
  /** A whole number in [0, below). */
  below(count: number): number;
  /** True in `share` of all cases. */
  in(share: number): boolean;
  one<T>(from: readonly T[]): T;
  bytes(length: number): Buffer;
}

export function chanceOf(random: () => number): Chance {
  const below = (count: number) => Math.floor(random() * count);
  return {
    below,
    in: (share) => random() < share,
    one: (from) => from[below(from.length)]!,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}

/** Values that have broken some reader before. */
export const oddValues: readonly unknown[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '🐙'.repeat(50),
  '__proto__',
  'constructor',
  '../../secret',
  '%00%ff%2e',
  'a'.repeat(400),
  'a'.repeat(401),
  'e\u0301',
  "'; drop table turn; --",
  '${7*7}{{7*7}}',
  '\r\nx-injected: 1',
  null,
  true,
  false,
  0,
  -1,
  1e308,
  9007199254740993,
  [],
  {},
  [[]],
  { toString: 1 },
  { input: { input: 'x' } },
];

export const oddHeaderValues: readonly string[] = [
  '',
  ' ',
  ',',
  '*',
  'null',
  '\t',
  '\x7f',
  '\xff\xfe',
  'a\x00b',
  'a,b;c="d',
  '0',
  '-1',
  '18446744073709551616',
  'Bearer',
  'Bearer  ',
  'bearer x.y.z',
  'Basic eDp5',
  'application/json, text/plain',
  'application/json; charset="',
  'text/event-stream',
  'https://elsewhere.example',
  'cross-site',
  'localhost:99999',
  '[::1',
  'x'.repeat(5000),
];

/** Fields of a body, known or not. */
export const fieldNames = [
  'input',
  'sessionId',
  'decision',
  'op',
  'ref',
  'cursor',
  'prompt',
  'id',
  'cancel',
  '__proto__',
  'toString',
  'x',
] as const;

export const ops = [
  'artifact-head',
  'artifact-get',
  'session-list',
  'session-transcript',
  'session-pending',
  'session-close',
  'SESSION-LIST',
  'fly',
] as const;
