import { ledgerReader } from '../ledger-reader.js';
import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, uuid } from '../testing/sample-log.js';
import { SampleToolSession, sayOfHost } from '../testing/sample-facts.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const say = (type: Parameters<typeof sayOfHost>[1], hostId: string, boot: string) => sayOfHost(log, type, hostId, boot);
const open = (name: string, hostId: string, boot: string) => new SampleToolSession(log, name, { hostId, bootId: uuid(boot) }).start();
async function lost(limit = 100): Promise<string[]> {
  await project(store, log);
  return (await ledgerReader(store, log.topics).lostToolSessions(limit)).map(({ toolSessionId }) => toolSessionId);
}

it('T40 finds what a host left open that said goodbye, and nothing that is closed or of a host that lives', async () => {
  for (const hostId of ['stopped', 'living']) say('host.started', hostId, 'b');
  open('left open', 'stopped', 'b');
  open('closed', 'stopped', 'b').close('shutdown');
  open('in use', 'living', 'b');
  open('of a host the ledger has not met', 'unknown', 'b');
  expect(await lost()).toEqual([]);
  say('host.stopped', 'stopped', 'b');
  expect(await lost()).toEqual([uuid('left open')]);
});

it('T40 finds what an earlier life of a host left open as soon as the next one has begun, and leaves that one its own', async () => {
  say('host.started', 'h', 'first');
  open('of the first', 'h', 'first');
  expect(await lost()).toEqual([]);
  // A new process is a new epoch of the embedded log: no time has passed for a fold.
  log.epoch++;
  say('host.started', 'h', 'second');
  open('of the second', 'h', 'second');
  expect(await lost()).toEqual([uuid('of the first')]);
});

it('T40 and L6 find what a host left open that has been silent for more than 30 s of the system partition’s time', async () => {
  for (const hostId of ['silent', 'other']) say('host.started', hostId, 'b');
  open('left open', 'silent', 'b');
  open('in use', 'other', 'b');
  log.now += 30_000;
  say('host.alive', 'other', 'b');
  expect(await lost()).toEqual([]);
  log.now += 1;
  say('host.alive', 'other', 'b');
  expect(await lost()).toEqual([uuid('left open')]);
  say('host.alive', 'silent', 'b');
  expect(await lost()).toEqual([]);
});

it('L1 takes no leap of a broker’s clock for silence, nor its step back for a life', async () => {
  for (const hostId of ['silent', 'other']) say('host.started', hostId, 'b');
  open('left open', 'silent', 'b');
  log.epoch++;
  log.now += 3_600_000;
  say('host.alive', 'other', 'b');
  expect(await lost()).toEqual([]);
  log.epoch++;
  log.now -= 7_200_000;
  for (let i = 0; i < 4; i++) {
    say('host.alive', 'other', 'b');
    log.now += 10_001;
  }
  expect(await lost()).toEqual([uuid('left open')]);
});

it('T40 tells all that the close fact of a lost tool session repeats, and its age up to the last word of its host', async () => {
  say('host.started', 'h', 'b');
  const { opened } = new SampleToolSession(log, 'in session', {
    ...{ hostId: 'h', bootId: uuid('b'), sessionRef: ref('s'), label: 'mailbox', scope: 'session' },
  })
    .start()
    .reuse(3);
  const alone = open('of a turn alone', 'h', 'b').opened;
  log.now += 500;
  say('host.stopped', 'h', 'b');
  await project(store, log);
  const found = await ledgerReader(store, log.topics).lostToolSessions(10);
  expect(new Set(found)).toEqual(
    new Set([
      { ...opened, calls: 3, ageMs: 500 },
      { ...alone, calls: 1, ageMs: 500 },
    ]),
  );
  expect(await lost(1)).toHaveLength(1);
});
