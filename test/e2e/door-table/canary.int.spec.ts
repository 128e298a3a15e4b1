import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { partitionCounts, topics } from '@doorledger/contracts';
import { openSqliteLog } from '@doorledger/event-log';
import { sampleFolder, type SampleFolder } from '../data-folder.js';
import { CANARY, CanarySearch, canary } from './canary.js';
import { keptIn } from './kept.js';

jest.setTimeout(120_000);
const search = new CanarySearch(['a-signature-of-a-token']);

it.each<[string, Uint8Array | string]>([
  ['as it is', `{"input":"${canary('message')}"}`],
  ['in upper case', canary('message').toUpperCase()],
  ['in hex', Buffer.from(canary('message')).toString('hex')],
  ['in UTF-16', Buffer.from(canary('message'), 'utf16le')],
  ...[0, 1, 2].map((before): [string, string] => [
    `in base64, ${before} bytes in`,
    Buffer.from('x'.repeat(before) + canary('y')).toString('base64'),
  ]),
  ['in the middle of base64', Buffer.from(`{"sub":"${canary('subject')}"}`).toString('base64url')],
  ['a secret that does not carry it', 'Bearer x.y.a-signature-of-a-token'],
])('the search finds the canary %s', (_how, bytes) => expect(search.in(bytes)).not.toEqual([]));

it('the search finds the digest of a secret, and nothing in what is harmless', () => {
  expect(search.in(createHash('sha256').update('a-signature-of-a-token').digest('hex'))).toHaveLength(1);
  expect(search.in(`${CANARY.slice(0, -1)} ${'ab'.repeat(500)}`)).toEqual([]);
});

describe('the search of a data folder', () => {
  let sample: SampleFolder;
  beforeAll(async () => (sample = await sampleFolder(['one'])));
  afterAll(() => sample.remove());
  const hits = async (dir: string) => (await keptIn(dir)).filter(({ bytes }) => search.in(bytes).length > 0).map(({ where }) => where);

  it('finds nothing where nothing was planted', async () => expect(await hits(sample.copy())).toEqual([]));

  it.each(['key', 'headers', 'value'] as const)('finds a record of the private topic with it as its %s', async (part) => {
    const dir = sample.copy();
    const log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
    const record = { key: 'k', headers: {}, value: Buffer.from('{}') };
    const planted = { key: CANARY, headers: { ce_subject: CANARY }, value: Buffer.from(CANARY) };
    await log.append(topics.private.name, [{ ...record, [part]: planted[part] }]);
    await log.close();
    expect((await hits(dir)).filter((where) => where.startsWith(topics.private.name))).toHaveLength(1);
  });

  it.each(['ledger.1.db', 'keys.db'])('finds it in a column of %s', async (name) => {
    const dir = sample.copy();
    const db = new Database(join(dir, name));
    db.exec(`create table planted (a text, b blob)`);
    db.prepare('insert into planted values (?, ?)').run('x', Buffer.from(CANARY));
    db.close();
    expect(await hits(dir)).toContain(`${join(dir, name)} planted.b`);
  });

  it('finds it in any other file', async () => {
    const copy = sample.copy();
    appendFileSync(join(copy, 'note.txt'), CANARY);
    expect(await hits(copy)).toEqual([join(copy, 'note.txt')]);
  });
});
