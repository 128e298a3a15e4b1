import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { openContent, sealContent, type ContentPlace } from './sealed-content.js';
import { secretKey } from './secret.js';

const newKey = () => ({ keyId: randomUUID(), key: secretKey(randomBytes(32)) });
const place: ContentPlace = { type: 'messages.added', subject: randomUUID() };
const key = newKey();
const keys = { keyById: () => Promise.resolve(key) };
const message = 'what a person said to the agent';

it('X1 gives back every plaintext it sealed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), fc.uuid(), async (bytes, subject) => {
      const there = { ...place, subject };
      expect(new Uint8Array(await openContent(keys, sealContent(key, bytes, there), there))).toEqual(bytes);
    }),
  );
});

it('X1 opens nothing of which any one bit was changed', async () => {
  const { keyId, sealed } = sealContent(key, message, place);
  const bytes = Buffer.from(sealed, 'base64');
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << bit;
      const opened = openContent(keys, { keyId, sealed: changed.toString('base64') }, place);
      await expect(opened).rejects.toMatchObject({ code: 'ERR_CONTENT_CHANGED', message: expect.not.stringContaining(message) });
    }),
  );
});

it.each([
  ['another key', keyOf(newKey()), {}],
  ['another turn', keys, { subject: randomUUID() }],
  ['another fact', keys, { type: 'pause.stored' as const }],
])('X1 does not open content under %s', async (_, under, elsewhere) => {
  const content = sealContent(key, message, place);
  await expect(openContent(under, content, { ...place, ...elsewhere })).rejects.toMatchObject({ code: 'ERR_CONTENT_CHANGED' });
});

it.each(['', 'AAAA', 'A'.repeat(36)])('X1 refuses by name what is too short to be sealed (%j)', async (sealed) => {
  await expect(openContent(keys, { keyId: key.keyId, sealed }, place)).rejects.toMatchObject({ code: 'ERR_CONTENT_CHANGED' });
});

it('X1 seals the same text differently each time', () => {
  const all = Array.from({ length: 100 }, () => sealContent(key, message, place).sealed);
  expect(new Set(all).size).toBe(100);
  expect(all.some((sealed) => Buffer.from(sealed, 'base64').includes(message))).toBe(false);
});

function keyOf(other: ReturnType<typeof newKey>) {
  return { keyById: () => Promise.resolve(other) };
}
