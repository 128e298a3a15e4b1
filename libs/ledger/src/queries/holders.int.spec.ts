import { ledgerReader } from '../ledger-reader.js';
import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, uuid } from '../testing/sample-log.js';
import { SampleToolSession, sayOfHost } from '../testing/sample-facts.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';

let log: SampleLog;
let store: LedgerStore;
beforeEach(() => void ({ log, store } = logAndLedger()));
afterEach(closeTemporaryLedgers);

const say = (type: Parameters<typeof sayOfHost>[1], hostId: string) => sayOfHost(log, type, hostId, 'b');
const open = (name: string, session?: string) =>
  new SampleToolSession(log, name, { hostId: 'h', bootId: uuid('b'), ...(session !== undefined && { sessionRef: ref(session) }) }).start();
async function holders() {
  await project(store, log);
  return ledgerReader(store, log.topics).holders();
}

it('L6 tells the open tool sessions of sessions, the one used last at the end, and neither closed ones nor those of a turn alone', async () => {
  const [first, second] = [open('first', 's'), open('second', 's')];
  open('closed', 's').close('idle');
  open('of a turn alone');
  log.now += 1000;
  first.reuse(2);
  const of = { sessionRef: ref('s'), hostId: 'h', bootId: uuid('b') };
  expect((await holders()).toolSessions).toEqual([second, first].map(({ opened }) => ({ toolSessionId: opened.toolSessionId, ...of })));
});

it('L6 tells the hosts that are there, with T at their last word: not one that stopped, nor one that was silent for over 30 s of T', async () => {
  for (const hostId of ['stopped', 'silent', 'living']) say('host.started', hostId);
  say('host.stopped', 'stopped');
  log.now += 30_000;
  say('host.alive', 'living');
  const alive = (hostId: string, aliveTime: number) => ({ hostId, bootId: uuid('b'), aliveTime });
  expect((await holders()).hosts).toEqual([alive('silent', 0), alive('living', 30_000)]);
  log.now += 1;
  say('host.alive', 'living');
  expect((await holders()).hosts).toEqual([alive('living', 30_001)]);
});
