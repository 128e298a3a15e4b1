import type { Kysely } from 'kysely';
import { PostgresGenerations } from '../postgres/generations.js';
import { specDatabases } from '../postgres/testing/spec-database.js';
import type { LedgerTables } from '../schema/index.js';
import type { LedgerStore } from '../store.js';
import { SampleLog, ref, sha } from '../testing/sample-log.js';
import { closeTemporaryLedgers, project, temporaryLedger } from '../testing/temporary-ledger.js';
import { readConsent } from './consent-detail.js';
import { listConsents, type ConsentFilter } from './consents.js';
import { readDueConsents } from './due-consents.js';
import { SampleRequest } from './testing/sample-request.js';

const newDatabase = specDatabases();
const log = new SampleLog();
const acme = { tenantRef: ref('acme') };
/** Requests of every kind: with and without votes, past their clocks, taken up, settled in every way. */
function tell(): void {
  for (let i = 0; i < 24; i++) {
    const terms = { ...(i % 2 && { quorum: 2 }), ...(i % 5 === 0 && { decideBy: log.now + 50 }), partyRef: ref(i % 4 ? 'ann' : 'bob') };
    const request = new SampleRequest(log, `q${i}`, terms, i % 3 ? acme : {});
    if (i % 2) for (const by of ['ann', 'bob', 'cid'].slice(0, 1 + (i % 3))) request.vote(by, i % 7 !== 0);
    if (i % 6 === 2) request.spend('x', 'closed');
    if (i % 6 === 3) request.resume('r2');
    if (i % 6 === 4) {
      request.resume('r2');
      request.spend('r2', 'approved');
      request.dispatch('r2');
      if (i % 4) request.finish('r2');
    }
    log.now += i % 2;
  }
}
tell();

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

const filters: ConsentFilter[] = [
  {},
  { state: 'pending', server: 'mail' },
  { state: 'approved' },
  { sessions: [ref('q1'), ref('q2')] },
  { sight: { party: ref('ann') }, tool: 'send' },
  { sight: { party: ref('bob'), decidesIn: acme } },
  { sight: { party: ref('bob'), decidesIn: { tenantRef: null } }, state: 'pending' },
];

async function allPages(db: Kysely<LedgerTables>, filter: ConsentFilter): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
    const page = await listConsents(db, { limit: 4, ...(cursor !== undefined && { cursor }) }, filter);
    pages.push(page);
    cursor = page.cursor;
  }
  return pages;
}

it('P2 and L12 answer every question about requests alike from PostgreSQL and from SQLite', async () => {
  for (const filter of filters) {
    const [ours, theirs] = [await allPages(postgres.db, filter), await allPages(sqlite.db, filter)];
    expect([filter, ours]).toEqual([filter, theirs]);
    expect([filter, theirs[0]]).not.toEqual([filter, { items: [] }]);
  }
  for (let i = 0; i < 24; i++) expect(await readConsent(postgres.db, sha(`q${i}`))).toEqual(await readConsent(sqlite.db, sha(`q${i}`)));
  const due = await readDueConsents(sqlite.db, log.now + 6000, 100);
  expect(new Set(due.map((request) => request.due))).toEqual(new Set(['expired', 'approved', 'declined']));
  expect(await readDueConsents(postgres.db, log.now + 6000, 100)).toEqual(due);
  expect(await readDueConsents(postgres.db, log.now + 6000, 3)).toEqual(due.slice(0, 3));
});
