import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { ArtifactReading } from '@doorledger/ledger';
import { sealContent, type ContentKey } from '@doorledger/privacy';
import { Refused } from '../refused.js';
import { bodyOf, eventOf, type Terminal } from '../wire/terminal.js';
import { ArtifactOps } from './artifact-ops.js';
import type { ArtifactFile } from './artifact-file.js';

const key: ContentKey = { keyId: randomUUID(), key: createSecretKey(randomBytes(32)) };
const turnId = randomUUID();
const ref: string = randomUUID();
const session = { ref: 'ab'.repeat(16), citations: [] };
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');

function sealed(file: object, place = { type: 'artifact.stored', subject: turnId } as const): ArtifactReading {
  const content = sealContent(key, JSON.stringify(file), place);
  return { kind: 'stored', artifact: { turnId, keyId: key.keyId, sealed: Buffer.from(content.sealed, 'base64') } };
}
const expiresAt = Date.parse('2026-01-15T09:30:00Z');
const image: ArtifactFile = { mimeType: 'image/png', bytes: base64('pixels'), expiresAt };

interface Parts {
  readonly read?: (sessionKey: string, ref: string, citedTo: number) => Promise<ArtifactReading> | ArtifactReading;
  readonly now?: () => number;
}
const opsOf = ({ read = () => sealed(image), now = () => 0 }: Parts) =>
  new ArtifactOps({ ledger: { artifact: async (...ask) => read(...ask) }, keys: { keyById: async () => key }, now });
const ended = (serving: Promise<Terminal>): Promise<Terminal> =>
  serving.catch((error: unknown) => {
    if (error instanceof Refused) return error.terminal;
    throw error;
  });
const ask = (parts: Parts, op: 'artifact-head' | 'artifact-get' = 'artifact-get', of = ref) =>
  ended(opsOf(parts).serve({ kind: 'artifact-op', op, ref: of }, session));

it('D15 and H2 answer a head with what the file is, and a get with its bytes, too', async () => {
  const read = () => sealed({ ...image, name: 'cat.png' });
  const meta = { mimeType: 'image/png', name: 'cat.png', size: 6, expiresAt: '2026-01-15T09:30:00.000Z' };
  const [head, get] = [await ask({ read }, 'artifact-head'), await ask({ read }, 'artifact-get')];
  expect([eventOf(head), bodyOf(head)]).toEqual(['artifact', { artifact: { ref, meta } }]);
  expect([eventOf(get), bodyOf(get)]).toEqual(['artifact', { artifact: { ref, meta, data: base64('pixels') } }]);
});

it('H2 asks for the file of the session that the caller is served', async () => {
  const asked: unknown[] = [];
  const ops = opsOf({ read: (...ask) => (asked.push(ask), sealed(image)) });
  await ops.serve({ kind: 'artifact-op', op: 'artifact-get', ref }, { ...session, citations: [{ partition: 0, offset: 7, hash: '' }] });
  expect(asked).toEqual([[session.ref, ref, 7]]);
});

it('H2 has one answer for what is missing, foreign, expired and too large', async () => {
  const answers = await Promise.all([
    ask({ read: () => ({ kind: 'missing' }) }),
    ask({ now: () => expiresAt }),
    ask({ read: () => sealed({ ...image, bytes: base64(Buffer.alloc(1024 * 1024 + 1)) }) }),
  ]);
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]).toMatchObject({ kind: 'fail', status: 404, code: 'ERR_ARTIFACT_NOT_FOUND' });
  expect(await ask({ now: () => expiresAt - 1 })).toMatchObject({ kind: 'artifact' });
  expect(await ask({ read: () => sealed({ ...image, bytes: base64(Buffer.alloc(1024 * 1024)) }) })).toMatchObject({ kind: 'artifact' });
});

it('O5 finds a file by its very reference only, and asks no store for what is none', async () => {
  const read = () => sealed(image);
  for (const other of [
    ref.toUpperCase(),
    `${ref}/`,
    `${ref}\u0000`,
    encodeURIComponent(`${ref}%`),
    `${ref} `,
    ref.slice(1),
    '..',
    '\ud800',
  ])
    expect(await ask({ read }, 'artifact-get', other)).toMatchObject({ code: 'ERR_ARTIFACT_NOT_FOUND' });
});

it('X1 does not open a file that was moved here from another fact', async () => {
  for (const place of [{ type: 'messages.added', subject: turnId } as const, { type: 'artifact.stored', subject: randomUUID() } as const])
    await expect(ask({ read: () => sealed(image, place as never) })).rejects.toMatchObject({ code: 'ERR_CONTENT_CHANGED' });
});

it('H2 reads at most 8 of one session at once, and the others of it are busy, not those of another', async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => (go = resolve));
  const ops = opsOf({ read: () => gate.then(() => sealed(image)) });
  const serve = (of = session) => ended(ops.serve({ kind: 'artifact-op', op: 'artifact-head', ref }, of));
  const eight = Array.from({ length: 8 }, () => serve());
  expect(await serve()).toMatchObject({ kind: 'fail', status: 429, code: 'ERR_ARTIFACT_OPS_BUSY', headers: { 'retry-after': '1' } });
  const other = serve({ ...session, ref: 'cd'.repeat(16) });
  go();
  for (const answer of await Promise.all([...eight, other])) expect(answer).toMatchObject({ kind: 'artifact' });
  expect(await serve()).toMatchObject({ kind: 'artifact' });
});

it('H2 counts no op that has failed as one in flight', async () => {
  const ops = opsOf({ read: () => Promise.reject(new Error('away')) });
  const serve = () => ops.serve({ kind: 'artifact-op', op: 'artifact-head', ref }, session);
  for (let i = 0; i < 9; i++) await expect(serve()).rejects.toThrow('away');
});

it('P3 waits for a ledger that is behind the turn, and says so when it stays there', async () => {
  let reads = 0;
  const behind: ArtifactReading = { kind: 'behind' };
  expect(await ask({ read: () => (++reads < 3 ? behind : sealed(image)) })).toMatchObject({ kind: 'artifact' });
  expect(await ask({ read: () => behind })).toMatchObject({ status: 503, code: 'ERR_LEDGER_BEHIND' });
});
