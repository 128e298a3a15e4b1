import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { topics } from '@doorledger/contracts';
import type { EventLog } from '../event-log.js';
import { LogTail } from '../log-tail.js';
import { openSqliteLog } from '../sqlite/sqlite-log.js';
import { DecisionLedger } from './decision-ledger.js';
import { DecisionView } from './decision-view.js';

const topic = topics.spend.name;
const origin = { source: '/doorledger/test/host', now: Date.now };
const IDS = 60;
let opened: { close(): Promise<void> }[];
beforeEach(() => (opened = []));
afterEach(async () => {
  for (const one of opened.reverse()) await one.close();
});

/** A host's ledger on this log, without a projector beside it. */
async function ledgerOn(log: EventLog): Promise<DecisionLedger> {
  const from = Array.from({ length: log.topics.get(topic)! }, () => 0);
  const view = new DecisionView({ row: async () => ({ next: 0 }), from });
  const tail = new LogTail({ log, from: { [topic]: from }, deliver: (batch) => view.apply(batch) });
  tail.start();
  opened.push(tail);
  return new DecisionLedger({
    log,
    ends: (name) => log.ends(name),
    view,
    origin,
    reach: (position, ms) => tail.reach(position, ms),
    timeoutMs: 30_000,
  });
}

/** N40: both spend every id at once; each id is the claim's that the log has first, and both hosts say so. */
async function raceOn(logs: readonly EventLog[]): Promise<void> {
  const hosts = await Promise.all(logs.map(ledgerOn));
  const ids = Array.from({ length: IDS }, (_, i) => ({ namespace: 'shop', id: `id-${i}` }));
  const claims = hosts.map(() => ids.map(() => randomUUID()));
  const spendAll = () => Promise.all(hosts.map((host, h) => Promise.all(ids.map((id, i) => host.spend(id, claims[h]![i]!)))));
  const answers = await spendAll();
  expect(ids.map((_, i) => answers.filter((of) => of[i]).length)).toEqual(ids.map(() => 1));
  expect(await spendAll()).toEqual(answers);
  for (const host of hosts) expect(await Promise.all(ids.map((id) => host.isSpent(id)))).toEqual(ids.map(() => true));
  const first = new Map<string, string>();
  for await (const { records } of logs[0]!.read(
    topic,
    Array.from({ length: logs[0]!.topics.get(topic)! }, () => 0),
  ))
    for (const { key, decoded } of records) if (!first.has(key)) first.set(key, decoded.body!.data.claimId as string);
  for (const [i, { id }] of ids.entries()) expect(claims.filter((of) => of[i] === first.get(`shop/${id}`)).length).toBe(1);
}

it('N40 lets the order of the embedded log decide between two that spend at once', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-decisions-'));
  opened.push({ close: async () => rmSync(dir, { recursive: true, force: true }) });
  const log = await openSqliteLog({ dir, role: 'writer', topics: new Map([[topic, 4]]) });
  opened.push(log);
  await raceOn([log, log]);
});
