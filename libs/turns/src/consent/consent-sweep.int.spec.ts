import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, eventOf, partitionCounts, topics, type Fact, type FactData } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';
import { LedgerGenerations, Projector, ledgerReader, readConsent, type LedgerReader, type LedgerStore } from '@doorledger/ledger';
import { ConsentSweep, type ConsentSweepOptions } from './consent-sweep.js';

const session = topics.session.name;

let dir: string;
let log: EventLog;
let store: LedgerStore;
let projector: Projector;
let ledger: LedgerReader;
/** What is added to the clock of the sweeping host. */
let later: number;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'doorledger-consent-sweep-'));
  log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
  ({ store } = new LedgerGenerations(dir).openLive());
  projector = await Projector.open({ store, topics: log.topics, gatherMs: 0 });
  ledger = ledgerReader(store, log.topics);
  later = 0;
});
afterEach(async () => {
  await projector.close();
  await store.close();
  await log.close();
  rmSync(dir, { recursive: true });
});

const origin = { source: '/doorledger/test/h', now: () => Date.now() + later };
const records = (key: string, facts: readonly Fact[]) => facts.map((fact) => ({ key, ...encode(eventOf(fact, origin)) }));

async function catchUp(): Promise<void> {
  for await (const batch of log.read(session, projector.applied[session]!)) await projector.take(batch);
}

/** A session that waits for a decision. */
async function ask(terms: Partial<FactData<'consent.minted'>>) {
  const key = randomBytes(16).toString('hex');
  const requestId = randomBytes(32).toString('hex');
  const run = { turnId: randomUUID(), runId: randomUUID() };
  const call = { callId: randomUUID(), gate: 'checkIn', server: 'mail', tool: 'send', toolHash: requestId } as const;
  const asked = records(key, [
    { type: 'turn.claimed', data: { ...run, hostId: 'h', bootId: randomUUID(), after: null } },
    { type: 'consent.minted', data: { ...run, ...call, requestId, ledger: randomUUID(), partyRef: key, ...terms } },
    { type: 'turn.paused', data: { ...run, requestId, private: { partition: 0, offset: 0, hash: requestId }, liveToolSessions: 0 } },
  ]);
  await log.append(session, asked);
  const say = (fact: Fact) => log.append(session, records(key, [fact]));
  return {
    requestId,
    vote: (by: string, approved = true) => say({ type: 'consent.voted', data: { requestId, by: by.repeat(32), approved } }),
    resume: () =>
      say({
        type: 'turn.claimed',
        data: { turnId: run.turnId, runId: randomUUID(), hostId: 'h', bootId: randomUUID(), after: run.runId, resumes: requestId },
      }),
    become: async () => {
      const { state, became, attempts } = (await readConsent(store.db, requestId))!;
      return { state, became, spends: attempts.filter(({ kind }) => kind === 'spent').map(({ stands }) => stands) };
    },
  };
}

function host(more: Partial<ConsentSweepOptions> = {}) {
  const resumed: [string, boolean][] = [];
  const resume = async (requestId: string, approved: boolean) => void resumed.push([requestId, approved]);
  return { sweep: new ConsentSweep({ ledger, log, origin, resume, onError: () => undefined, ...more }), resumed };
}

it('L12 and N8 call a request expired when it is past its clock, and not before', async () => {
  const request = await ask({ decideBy: Date.now() - 1 });
  const other = await ask({ decideBy: Date.now() + 60_000 });
  await catchUp();
  const { sweep } = host();
  expect(await sweep.sweep()).toEqual({ expired: 1, resumed: 0 });
  await catchUp();
  expect(await request.become()).toEqual({ state: 'expired', became: { state: 'never-ran', by: 'expired' }, spends: [true] });
  expect(await other.become()).toMatchObject({ state: 'pending', spends: [] });
  expect(await sweep.sweep()).toEqual({ expired: 0, resumed: 0 });
});

it('L12 is harmless when several hosts say it, and does not say it twice while the ledger has not read it', async () => {
  const request = await ask({ spendBy: Date.now() - 1 });
  await catchUp();
  const hosts = [host(), host()];
  for (const { sweep } of hosts) expect([await sweep.sweep(), await sweep.sweep()].map(({ expired }) => expired)).toEqual([1, 0]);
  await catchUp();
  expect(await request.become()).toMatchObject({ state: 'expired', spends: [true, false] });
});

it('L12 says it again when it was void, because the clock of the log was behind the host’s', async () => {
  const now = Date.now();
  const request = await ask({ decideBy: now + 60_000 });
  await catchUp();
  later = 60_001;
  const { sweep } = host({ origin: { ...origin, now: () => now + later } });
  expect(await sweep.sweep()).toMatchObject({ expired: 1 });
  await catchUp();
  expect(await request.become()).toMatchObject({ state: 'pending', spends: [false] });
  later += 29_999;
  expect(await sweep.sweep()).toMatchObject({ expired: 0 });
  later += 1;
  expect(await sweep.sweep()).toMatchObject({ expired: 1 });
});

it('L12 says it again at once when the log did not take it', async () => {
  await ask({ decideBy: Date.now() - 1 });
  await catchUp();
  let isDown = true;
  const flaky: Pick<EventLog, 'append'> = { append: (...args) => (isDown ? Promise.reject(new Error('down')) : log.append(...args)) };
  const { sweep } = host({ log: flaky });
  await expect(sweep.sweep()).rejects.toThrow('down');
  isDown = false;
  expect(await sweep.sweep()).toMatchObject({ expired: 1 });
});

it('L12 takes up what a quorum has approved or one vote has declined when nobody did for 5 s, and leaves the rest', async () => {
  const [approved, declined, open, taken] = await Promise.all([
    ask({ quorum: 2 }),
    ask({ quorum: 2 }),
    ask({ quorum: 2 }),
    ask({ quorum: 1 }),
  ]);
  for (const request of [approved, declined, open, taken]) await request.vote('a');
  await approved.vote('b');
  await declined.vote('b', false);
  await taken.resume();
  await catchUp();
  const { sweep, resumed } = host();
  expect(await sweep.sweep()).toEqual({ expired: 0, resumed: 0 });
  later = 6000;
  expect(await sweep.sweep()).toEqual({ expired: 0, resumed: 2 });
  expect(new Map(resumed)).toEqual(
    new Map([
      [approved.requestId, true],
      [declined.requestId, false],
    ]),
  );
  expect(await sweep.sweep()).toEqual({ expired: 0, resumed: 0 });
});

it('L12 goes on sweeping while what it took up runs, tells of what went wrong, and tries that again later', async () => {
  const request = await ask({ quorum: 1 });
  await request.vote('a');
  await catchUp();
  later = 6000;
  const ends: ((error: Error) => void)[] = [];
  const told: unknown[] = [];
  const resume = () => new Promise<void>((_, reject) => ends.push(reject));
  const { sweep } = host({ resume, onError: (error) => told.push(error) });
  expect(await sweep.sweep()).toMatchObject({ resumed: 1 });
  later += 60_000;
  expect(await sweep.sweep()).toMatchObject({ resumed: 0 });
  const error = new Error('no tool server');
  ends[0]!(error);
  await new Promise(setImmediate);
  expect(told).toEqual([error]);
  expect(await sweep.sweep()).toMatchObject({ resumed: 1 });
});

it('L12 carries on at most 16 turns for others at one time', async () => {
  for (let i = 0; i < 18; i++) await (await ask({ quorum: 1 })).vote('a');
  await catchUp();
  later = 6000;
  const ends: (() => void)[] = [];
  const { sweep } = host({ resume: () => new Promise<void>((resolve) => ends.push(resolve)) });
  expect(await sweep.sweep()).toMatchObject({ resumed: 16 });
  expect(await sweep.sweep()).toMatchObject({ resumed: 0 });
  for (const end of ends) end();
  await new Promise(setImmediate);
  expect(await sweep.sweep()).toMatchObject({ resumed: 2 });
});
