import type { Kysely } from 'kysely';
import { ledgerReader } from '../ledger-reader.js';
import { listIngress } from '../queries/ingress.js';
import { countQuarantined } from '../queries/log-status.js';
import type { Page, PageRequest } from '../queries/page.js';
import { readRetention } from '../queries/retention.js';
import { listSessions } from '../queries/sessions.js';
import { readTimeline } from '../queries/timeline.js';
import { listToolCalls, type ToolCallFilter } from '../queries/tool-calls.js';
import { listToolSessions, type ToolSessionFilter } from '../queries/tool-sessions.js';
import { readTurnDetail } from '../queries/turns.js';
import type { LedgerTables } from '../schema/index.js';
import type { LedgerStore } from '../store.js';
import { type SampleLog, ref, uuid } from '../testing/sample-log.js';
import { sampleStory } from '../testing/sample-story.js';
import { closeTemporaryLedgers, project, temporaryLedger } from '../testing/temporary-ledger.js';
import { PostgresGenerations } from './generations.js';
import { specDatabases } from './testing/spec-database.js';

const SESSIONS = 20;
const newDatabase = specDatabases();
const log: SampleLog = sampleStory(SESSIONS);
let postgres: LedgerStore;
let sqlite: LedgerStore;

beforeEach(async () => {
  const generations = await PostgresGenerations.open({ url: await newDatabase() });
  postgres = (await generations.openLive()).store;
  await generations.close();
  sqlite = temporaryLedger();
  for (const store of [postgres, sqlite]) await project(store, log);
});
afterEach(async () => {
  await postgres.close();
  await closeTemporaryLedgers();
});

async function allPages<T>(list: (request: PageRequest) => Promise<Page<T> | undefined>): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
    const page = await list({ limit: 3, ...(cursor !== undefined && { cursor }) });
    pages.push(page);
    cursor = page?.cursor;
  }
  return pages;
}

const names = Array.from({ length: SESSIONS }, (_, i) => `s${i}`);
const reader = (db: Kysely<LedgerTables>) => ledgerReader({ db }, log.topics);

const sessions = names.slice(0, 7).map(ref);
const toolSessionFilters: ToolSessionFilter[] = [{}, { state: 'live' }, { state: 'ended', sessions }, { server: 'mail', reason: 'idle' }];
const toolCallFilters: ToolCallFilter[] = [{}, { state: 'ok', server: 'mail' }, { sessions, tool: 'send' }, { turnId: uuid('s1 turn') }];

const queries: Record<string, (db: Kysely<LedgerTables>) => Promise<unknown>> = {
  sessions: (db) => allPages((request) => listSessions(db, request)),
  ingress: (db) => allPages((request) => listIngress(db, request)),
  timelines: (db) => Promise.all(names.map((name) => allPages((request) => readTimeline(db, ref(name), request)))),
  turns: (db) => Promise.all(names.map((name) => readTurnDetail(db, uuid(`${name} turn`)))),
  'tool sessions': (db) =>
    Promise.all(toolSessionFilters.map((filter) => allPages((request) => listToolSessions(db, request, filter, log.now)))),
  'tool calls': (db) => Promise.all(toolCallFilters.map((filter) => allPages((request) => listToolCalls(db, request, filter)))),
  'what is one person’s own': (db) =>
    Promise.all([listToolSessions(db, {}, { owner: ref('ann') }, log.now), listToolCalls(db, {}, { owner: ref('ann') })]),
  'what is one tenant’s': (db) =>
    Promise.all([
      listSessions(db, {}, { tenant: ref('acme') }),
      listToolSessions(db, {}, { tenant: ref('acme'), server: 'mail' }, log.now),
      listToolCalls(db, {}, { tenant: ref('acme'), tool: 'send' }),
      listIngress(db, {}, { tenant: ref('acme') }),
    ]),
  'lost tool sessions': (db) => reader(db).lostToolSessions(5),
  artifacts: (db) => Promise.all(names.map((name) => reader(db).artifact(ref(name), uuid(`${name} file`), -1))),
  quarantine: countQuarantined,
  retention: async (db) => [...(await readRetention(db))],
  places: (db) => reader(db).positions(),
  'session rows': (db) => Promise.all(names.map((name) => reader(db).sessionRow(ref(name)))),
  'open runs': (db) => Promise.all([reader(db).openRunsOf('host-1'), reader(db).openRunsQuietSince(log.now, 5)]),
  messages: (db) => Promise.all(names.map((name) => reader(db).messagesOf(ref(name)))),
  'turn rows': (db) => Promise.all(names.map((name) => reader(db).turn(uuid(`${name} turn`)))),
};

it('P2 answers every question alike from PostgreSQL and from SQLite', async () => {
  for (const [name, ask] of Object.entries(queries)) {
    const [ours, theirs] = [JSON.stringify(await ask(postgres.db)), JSON.stringify(await ask(sqlite.db))];
    expect([name, JSON.parse(ours)]).toEqual([name, JSON.parse(theirs)]);
    expect([name, theirs === '[]' || theirs === '0']).toEqual([name, false]);
  }
});
