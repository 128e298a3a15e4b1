import { KeySet } from './key-set.js';
import { signingKey, type SigningKey } from './testing/signing.js';
import { VerifierUnavailableError } from './verifier.js';

const MINUTE = 60_000;
const MAX_AGE = 10 * MINUTE;
const COOL_DOWN = 30_000;

let now: number;
let published: SigningKey[];
let fetches: number;
let isAway: boolean;
let failures: unknown[];
/** Resolves what a fetch answers only when it is let go. */
let hold: Promise<void> | undefined;
let set: KeySet;
let one: SigningKey;
let two: SigningKey;
beforeAll(async () => {
  [one, two] = await Promise.all([signingKey('ES256', 'one'), signingKey('ES256', 'two')]);
});
beforeEach(() => {
  [now, published, fetches, isAway, failures, hold] = [0, [one], 0, false, [], undefined];
  set = new KeySet({
    fetch: fetchKeys,
    onFailure: (cause) => failures.push(cause),
    now: () => now,
    maxAgeMs: MAX_AGE,
    coolDownMs: COOL_DOWN,
  });
});

async function fetchKeys(): Promise<unknown> {
  fetches++;
  await hold;
  if (isAway) throw new Error('away');
  return { keys: published.map(({ publicJwk }) => publicJwk) };
}

/** How many keys fit, or that it cannot be known. */
const fitting = async (kid: string) =>
  set.fitting({ alg: 'ES256', kid }).then(
    (keys) => keys.length,
    (error: unknown) => (error instanceof VerifierUnavailableError ? 'unavailable' : error),
  );
/** Lets what was started in the background come to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('I7 fetches the keys once for many waiters, and not again while they are fresh', async () => {
  expect(await Promise.all(Array.from({ length: 50 }, () => fitting('one')))).toEqual(Array(50).fill(1));
  now += MAX_AGE / 2 - 1;
  expect(await fitting('one')).toBe(1);
  expect(fetches).toBe(1);
});

it('I7 follows a rotation at once', async () => {
  expect(await fitting('one')).toBe(1);
  published = [two];
  expect(await fitting('two')).toBe(1);
  expect(await fitting('one')).toBe(0);
});

it('I10 pays at most one fetch per cool-down for made-up keys, however many ask', async () => {
  await fitting('one');
  for (const at of [0, 1, COOL_DOWN - 1]) {
    now = at;
    expect(await Promise.all(Array.from({ length: 20 }, (_, made) => fitting(`made-up-${made}`)))).toEqual(Array(20).fill(0));
  }
  expect(fetches).toBe(2);
  now = COOL_DOWN;
  expect(await fitting('made-up')).toBe(0);
  expect(fetches).toBe(3);
});

it('I10 pays no second fetch for a made-up key that is the first one asked for', async () => {
  expect(await fitting('made-up')).toBe(0);
  expect(fetches).toBe(1);
});

it('I10 lets keys age out in 10 minutes: a withdrawn one stops working though no new one is named', async () => {
  await fitting('one');
  published = [];
  now = MAX_AGE;
  expect(await fitting('one')).toBe(0);
});

it('I10 renews keys from half their age on, and nobody waits for it', async () => {
  await fitting('one');
  let letGo = (): void => {};
  hold = new Promise((resolve) => (letGo = resolve));
  published = [two];
  now = MAX_AGE / 2;
  expect(await fitting('one')).toBe(1);
  expect(fetches).toBe(2);
  letGo();
  await settled();
  expect(await fitting('one')).toBe(0);
});

describe('while the keys cannot be had', () => {
  it('I6 knows nothing, and asks again after a second only', async () => {
    isAway = true;
    expect(await Promise.all([fitting('one'), fitting('two')])).toEqual(['unavailable', 'unavailable']);
    now = 999;
    expect(await fitting('one')).toBe('unavailable');
    expect(fetches).toBe(1);
    expect(failures).toEqual([new Error('away')]);
    isAway = false;
    now = 1000;
    expect(await fitting('one')).toBe(1);
  });

  it('I6 goes on with the keys it has until they age out, and then knows nothing', async () => {
    await fitting('one');
    isAway = true;
    now = MAX_AGE / 2;
    expect(await fitting('one')).toBe(1);
    await settled();
    now = MAX_AGE - 1;
    expect(await fitting('one')).toBe(1);
    await settled();
    now = MAX_AGE + 1000;
    expect(await fitting('one')).toBe('unavailable');
  });

  it('I6 never judges a token whose key may have been published meanwhile, within the cool-down either', async () => {
    await fitting('one');
    isAway = true;
    for (const at of [0, 1, COOL_DOWN - 1, COOL_DOWN]) {
      now = at;
      expect(await fitting('two')).toBe('unavailable');
    }
    expect(fetches).toBe(3);
    [isAway, published, now] = [false, [one, two], 2 * COOL_DOWN];
    expect(await fitting('two')).toBe(1);
  });
});
