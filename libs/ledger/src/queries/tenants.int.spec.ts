import { CompiledQuery, type Kysely, type RootOperationNode } from 'kysely';
import type { LedgerTables } from '../schema/index.js';
import type { LedgerStore } from '../store.js';
import { SampleToolSession, ingressOf } from '../testing/sample-facts.js';
import { type SampleLog, ref, sha, uuid } from '../testing/sample-log.js';
import { closeTemporaryLedgers, logAndLedger, project } from '../testing/temporary-ledger.js';
import { readConsent } from './consent-detail.js';
import { listConsents } from './consents.js';
import { readCensus } from './census.js';
import { listIngress } from './ingress.js';
import type { Page, PageRequest } from './page.js';
import { isShown, listSessions } from './sessions.js';
import { SampleRequest } from './testing/sample-request.js';
import { listToolCalls } from './tool-calls.js';
import { listToolSessions } from './tool-sessions.js';

const TENANTS = ['acme', 'globex', undefined] as const;
const OF_EACH = 5;

let log: SampleLog;
let store: LedgerStore;
/** Of each tenant its requests, and a turn, a call, a tool session and an ingress record with each. */
beforeEach(async () => {
  ({ log, store } = logAndLedger());
  for (let i = 0; i < OF_EACH; i++)
    for (const tenant of TENANTS) {
      const name = `${tenant} ${i}`;
      const request = new SampleRequest(log, name, {}, tenant ? { tenantRef: ref(tenant) } : {});
      request.resume(`${name} again`);
      request.spend(`${name} again`, 'approved');
      request.dispatch(`${name} again`);
      new SampleToolSession(log, `${name} tools`, { sessionRef: request.key }).start();
      ingressOf(log, i + 1, name, { hostId: `host of ${tenant}`, userRef: ref('x'), ...(tenant && { tenantRef: ref(tenant) }) });
      log.now += 1000;
    }
  await project(store, log);
});
afterEach(closeTemporaryLedgers);

const acme = ref('acme');
const names = (tenant: string | undefined) => Array.from({ length: OF_EACH }, (_, i) => `${tenant} ${i}`).reverse();

/** A list of one tenant, page by page. */
const lists = {
  sessions: (db: Kysely<LedgerTables>, page: PageRequest) => listSessions(db, page, { tenant: acme }),
  consents: (db: Kysely<LedgerTables>, page: PageRequest) => listConsents(db, page, { sight: { tenant: acme } }),
  'approved consents of a server': (db: Kysely<LedgerTables>, page: PageRequest) =>
    listConsents(db, page, { sight: { tenant: acme }, state: 'approved', server: 'mail' }),
  'tool calls': (db: Kysely<LedgerTables>, page: PageRequest) => listToolCalls(db, page, { tenant: acme }),
  'dispatched calls of a tool': (db: Kysely<LedgerTables>, page: PageRequest) =>
    listToolCalls(db, page, { tenant: acme, state: 'dispatched', server: 'mail', tool: 'send' }),
  'tool sessions': (db: Kysely<LedgerTables>, page: PageRequest) => listToolSessions(db, page, { tenant: acme, server: 'mail' }, log.now),
  ingress: (db: Kysely<LedgerTables>, page: PageRequest) => listIngress(db, page, { tenant: acme }),
};

const keyOf = (item: object): unknown => (item as { readonly sessionRef: string }).sessionRef;

it.each(Object.entries(lists))('P1 shows of %s one tenant’s own, all of them, page by page', async (_, list) => {
  const found: unknown[] = [];
  for (let cursor: string | undefined, n = 0; n === 0 || cursor !== undefined; n++) {
    const page = (await list(store.db, { limit: 2, ...(cursor !== undefined && { cursor }) })) as Page<object>;
    found.push(...page.items.map(keyOf));
    cursor = page.cursor;
  }
  expect(found).toEqual(names('acme').map(ref));
});

it('P1 finds none of another tenant by its name, its session or its request', async () => {
  const theirs = [ref('globex 1')];
  expect((await listToolCalls(store.db, {}, { tenant: acme, sessions: theirs })).items).toEqual([]);
  expect((await listToolCalls(store.db, {}, { tenant: acme, turnId: uuid('globex 1 turn') })).items).toEqual([]);
  expect((await listToolSessions(store.db, {}, { tenant: acme, sessions: theirs }, log.now)).items).toEqual([]);
  expect((await listConsents(store.db, {}, { sight: { tenant: acme }, sessions: theirs })).items).toEqual([]);
  for (const name of ['globex 1', 'undefined 1']) {
    expect(await readConsent(store.db, sha(name), { tenant: acme })).toBeUndefined();
    expect(await isShown(store.db, ref(name), { tenant: acme })).toBe(false);
  }
  expect(await readConsent(store.db, sha('acme 1'), { tenant: acme })).toMatchObject({ requestId: sha('acme 1') });
  expect([await isShown(store.db, ref('acme 1'), { tenant: acme }), await isShown(store.db, ref('acme 1'), {})]).toEqual([true, true]);
});

it('P1 counts one tenant’s people in its census, and tells no place and no sum of anybody else’s', async () => {
  const asked = { by: ['outcome'], from: log.now - 3_600_000, to: log.now } as const;
  const census = await readCensus(store.db, { ...asked, tenant: acme });
  expect(census).toMatchObject({ requests: OF_EACH, items: [{ outcome: 'served', requests: OF_EACH, recorded: OF_EACH, counted: 0 }] });
  expect(Object.keys(census)).toEqual(['from', 'to', 'requests', 'items']);
  expect((await readCensus(store.db, asked)).requests).toBe(3 * OF_EACH);
  const { items } = await listIngress(store.db, {}, { tenant: acme });
  expect(items.filter((item) => 'seq' in item)).toEqual([]);
});

const census = (db: Kysely<LedgerTables>) => readCensus(db, { by: ['outcome'], from: log.now - 3_600_000, to: log.now, tenant: acme });

it.each([...Object.entries(lists), ['a census', census] as const])(
  'P1 finds %s by an index of the tenant, and walks nobody else’s rows',
  async (_, list) => {
    const plan = await planOf(store.db, (db) => list(db, {}));
    // The tenant's index, or the one of its sessions, whose rows then lead to theirs.
    expect(plan.some((step) => /^SEARCH \w+ USING (COVERING )?INDEX \w+ \(tenant_ref=\?/.test(step))).toBe(true);
    expect(plan.filter((step) => /^SCAN (?!(c|own|others)$)/.test(step))).toEqual([]);
  },
);

/** How SQLite reads what `read` asks. */
async function planOf(db: Kysely<LedgerTables>, read: (db: Kysely<LedgerTables>) => Promise<unknown>): Promise<string[]> {
  const nodes: { node: RootOperationNode; queryId: Parameters<ReturnType<typeof db.getExecutor>['compileQuery']>[1] }[] = [];
  await read(
    db.withPlugin({
      transformQuery: ({ node, queryId }) => {
        nodes.push({ node, queryId });
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  );
  const steps: string[] = [];
  for (const { node, queryId } of nodes) {
    const { sql, parameters } = db.getExecutor().compileQuery(node, queryId);
    const { rows } = await db.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]));
    steps.push(...rows.map(({ detail }) => detail));
  }
  return steps;
}
