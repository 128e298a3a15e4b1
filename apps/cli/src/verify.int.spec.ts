import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { topics } from '@doorledger/contracts';
import { LedgerGenerations, readHeads, rebuild } from '@doorledger/ledger';
import { CheckpointFolder, Checkpointer, loadSigningKey, type Violation } from '@doorledger/proof';
import Database from 'better-sqlite3';
import { FRAME_HEADER_BYTES, readFrame, writeFrame } from '../../../libs/event-log/src/sqlite/record-frame.js';
import { Output } from './output.js';
import { runProgram } from './program.js';
import { appendRenewal, openWriter } from './testing/sample-log.js';

const FACTS = 6;
let dir: string;
let data: string;
/** A log of six facts, its ledger, and checkpoints that were signed at two, four and six. */
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-verify-'));
  const whole = join(dir, 'whole');
  const log = await openWriter(whole);
  const { store } = new LedgerGenerations(whole).openLive();
  const checkpointer = await Checkpointer.begin({
    folder: new CheckpointFolder(join(whole, 'checkpoints')),
    key: loadSigningKey(join(whole, 'checkpoint-key.pem')),
    place: log.place,
    heads: () => readHeads(store.db),
    everyMs: 3_600_000,
    everyRecords: 1000,
    onProblem: () => {},
  });
  for (let n = 1; n <= FACTS; n++) {
    await appendRenewal(log, n);
    if (n % 2 === 1) continue;
    const upTo: Record<string, number[]> = {};
    for (const topic of log.topics.keys()) upTo[topic] = (await log.ends(topic)).map(({ end }) => end);
    await rebuild({ log, store, upTo });
    await checkpointer.write();
  }
  await checkpointer.close();
  await store.close();
  await log.close();
});
afterAll(() => rmSync(dir, { recursive: true }));
beforeEach(() => {
  data = join(dir, 'copy');
  cpSync(join(dir, 'whole'), data, { recursive: true });
});
afterEach(() => rmSync(data, { recursive: true }));

interface Printed {
  readonly isSound: boolean;
  readonly records: number;
  readonly checkpoints: { readonly read: number; readonly covered: number; readonly keys: readonly string[] };
  readonly violation?: Violation;
}
async function verify(...args: string[]) {
  const stream = new PassThrough();
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const code = await runProgram(['verify', '--data', data, ...args], new Output(stream));
  const stderr = said.mock.calls.map(([line]) => String(line)).join('');
  said.mockRestore();
  stream.end();
  const stdout = await text(stream);
  return { code, stderr, printed: (stdout ? JSON.parse(stdout) : undefined) as Printed };
}

it('V2 finds a log sound, with its checkpoints, and says how many records they cover', async () => {
  expect(await verify()).toMatchObject({
    code: 0,
    printed: { isSound: true, records: FACTS, checkpoints: { read: 3, covered: FACTS, keys: [expect.stringMatching(/^[0-9a-f]{64}$/)] } },
    stderr: expect.stringContaining(`proof: ${FACTS} of ${FACTS} records`) as string,
  });
});

it('V2 needs of an auditor no ledger and no key: topics, checkpoints and the public key they were given', async () => {
  for (const file of ['ledger.1.db', 'ledger.current', 'checkpoint-key.pem']) rmSync(join(data, file));
  const published = join(dir, 'whole', 'checkpoints', 'public-keys.pem');
  const sound = await verify('--public-key', published);
  expect(sound).toMatchObject({
    code: 0,
    printed: { isSound: true, census: { addsUp: true } },
    stderr: expect.stringContaining('no ledger here') as string,
  });
  expect(sound.stderr).not.toContain('are trusted');
  const other = join(data, 'other.pem');
  writeFileSync(other, loadSigningKey(join(data, 'another.pem')).publicKey.export({ type: 'spki', format: 'pem' }));
  expect(await verify('--public-key', other)).toMatchObject({ code: 1, printed: { violation: { statement: 'checkpoints' } } });
});

it('V2 refuses to call a log sound whose checkpoints are gone', async () => {
  rmSync(join(data, 'checkpoints'), { recursive: true });
  expect(await verify()).toMatchObject({ code: 1, printed: undefined, stderr: expect.stringContaining('(ERR_NO_CHECKPOINTS)') as string });
});

type Row = { place: number; timestamp: number; epoch: number; key: string; headers: string; value: Buffer };

/** Changes the records of the file as somebody would who knows it: places without a hole, checksums right. */
function tamper(change: (rows: Row[]) => Row[]): void {
  const db = new Database(join(data, 'log.db'));
  const rows = db.prepare<[], Row>('select place, timestamp, epoch, key, headers, value from record order by place').all();
  const first = rows[0]!.place;
  db.exec('delete from record');
  const insert = db.prepare('insert into record values (?, ?, ?, ?, ?, ?, ?)');
  change(rows).forEach((row, i) => {
    const record = { ...row, place: first + i };
    const frame = Buffer.alloc(FRAME_HEADER_BYTES + 4096);
    writeFrame(frame, 0, record);
    const { key, headers, value, timestamp, epoch, place } = record;
    insert.run(place, timestamp, epoch, key, headers, value, readFrame(frame, 0).checksum);
  });
  db.close();
}

it.each<[string, (rows: Row[]) => Row[], { offset: number; to: number }]>([
  ['changed', (rows) => rows.with(2, { ...rows[2]!, timestamp: rows[2]!.timestamp + 1 }), { offset: 2, to: 4 }],
  ['removed', (rows) => rows.toSpliced(2, 1), { offset: 2, to: 4 }],
  ['moved', (rows) => rows.toSpliced(4, 2, rows[5]!, rows[4]!), { offset: 4, to: 6 }],
  ['cut off at the end', (rows) => rows.slice(0, 5), { offset: 5, to: 6 }],
])('V2 finds a record that was %s in the file with its checksum, between two checkpoints', async (_what, change, range) => {
  tamper(change);
  const { code, printed, stderr } = await verify();
  expect([code, printed]).toMatchObject([
    1,
    { isSound: false, violation: { statement: 'chains', positions: [{ topic: topics.session.name, ...range }] } },
  ]);
  expect(stderr).toContain(`${topics.session.name}:${printed.violation!.positions[0]!.partition}:${range.offset}`);
});

it('V2 finds a log that was made anew with the same facts', async () => {
  rmSync(join(data, 'log.db'));
  const log = await openWriter(data);
  for (let n = 1; n <= FACTS; n++) await appendRenewal(log, n);
  await log.close();
  expect(await verify()).toMatchObject({ code: 1, printed: { violation: { statement: 'chains', positions: [{ offset: 0, to: 2 }] } } });
});

it('V1 publishes the public key beside the checkpoints, and never the private one', () => {
  const published = readFileSync(join(data, 'checkpoints', 'public-keys.pem'), 'utf8');
  expect(published).toMatch(/^-----BEGIN PUBLIC KEY-----\n[^-]+-----END PUBLIC KEY-----\n$/);
  expect(loadSigningKey(join(data, 'checkpoint-key.pem')).publicKey.export({ type: 'spki', format: 'pem' })).toBe(published);
});
