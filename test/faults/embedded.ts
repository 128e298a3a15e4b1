import { setTimeout as sleep } from 'node:timers/promises';
import { partitionCounts } from '@doorledger/contracts';
import { openSqliteLog, verifySqliteLog, type StoredRecord } from '@doorledger/event-log';
import { LedgerGenerations, replay } from '@doorledger/ledger';
import { checkHistory, type Acknowledged, type Violation } from './history.js';
import { ask, load } from './load.js';
import { seeded } from './seeded.js';
import { serve } from './served-process.js';

export interface EmbeddedFaults {
  /** An empty folder. */
  readonly dir: string;
  readonly cycles: number;
  readonly seed: number;
  /** No cycle begins after so many ms. */
  readonly maxMs?: number;
  readonly say?: (line: string) => void;
}

export interface FaultReport {
  readonly cycles: number;
  readonly seed: number;
  readonly acknowledged: number;
  /** Requests that were in flight when the process was killed, in a session. */
  readonly cut: number;
  readonly records: number;
  readonly answers: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

const CLIENTS = 16;
const SESSIONS = Array.from({ length: 64 }, (_, i) => `session-${i}`);
const counts = partitionCounts('embedded');

/** kill -9 of the whole process at random points under load, again and again on one data folder; then the history is judged. */
export async function embeddedFaults({ dir, cycles, seed, maxMs = Infinity, say = () => {} }: EmbeddedFaults): Promise<FaultReport> {
  const random = seeded(seed);
  const acknowledged: Acknowledged[] = [];
  const violations: Violation[] = [];
  const answers: Record<string, number> = {};
  const startedAt = Date.now();
  let cut = new Set<string>();
  let cuts = 0;
  let done = 0;
  for (; done < cycles && Date.now() - startedAt < maxMs; done++) {
    const served = await serve(dir);
    violations.push(...(await retries(served.url, cut, acknowledged)));
    const stop = new AbortController();
    const loading = load(
      { url: served.url, clients: CLIENTS, random, sessions: SESSIONS, onAcknowledged: (turn) => acknowledged.push(turn) },
      stop.signal,
    );
    await sleep(20 + random() * 600);
    await served.kill();
    const result = await loading;
    cut = result.cut;
    cuts += cut.size;
    for (const [status, count] of result.answers) answers[status] = (answers[status] ?? 0) + count;
    if ((done + 1) % 10 === 0) say(`${done + 1} kills, ${acknowledged.length} turns acknowledged, ${violations.length} violations`);
  }
  const judged = await judge(dir, acknowledged);
  return {
    cycles: done,
    seed,
    acknowledged: acknowledged.length,
    cut: cuts,
    answers,
    records: judged.records,
    violations: [...violations, ...judged.violations],
  };
}

/** L13: what a user sends again right after the restart succeeds at once. */
async function retries(url: string, cut: ReadonlySet<string>, acknowledged: Acknowledged[]): Promise<Violation[]> {
  const tried = await Promise.all(
    [...cut].map(async (sessionId): Promise<Violation[]> => {
      const { status, turnId, text } = await ask(url, { input: 'again', sessionId });
      if (status !== 200) return [{ rule: 'L13', what: `a retry right after the restart got ${status}: ${text ?? 'no answer'}` }];
      acknowledged.push({ turnId: turnId! });
      return [];
    }),
  );
  return tried.flat();
}

async function judge(dir: string, acknowledged: readonly Acknowledged[]): Promise<{ records: number; violations: Violation[] }> {
  const served = await serve(dir);
  // What the start itself wrote has to be in the ledger too.
  while (((await (await fetch(`${served.url}/v1/log`)).json()) as { lag: number }).lag > 0) await sleep(20);
  await served.stop();
  const violations: Violation[] = [];
  const verified = await verifySqliteLog(dir).catch((error: Error) => void violations.push({ rule: 'K6', what: error.message }));
  const log = await openSqliteLog({ dir, role: 'reader', topics: counts });
  try {
    const records: StoredRecord[] = [];
    for (const [topic, partitions] of counts)
      for await (const batch of log.read(
        topic,
        Array.from({ length: partitions }, () => 0),
      ))
        records.push(...batch.records);
    const generations = new LedgerGenerations(dir);
    const { store } = generations.openLiveReader();
    const turns = await store.db.selectFrom('turn').select(['turn_id', 'status']).execute();
    await store.close();
    const ledgerTurns = new Map(turns.map((t) => [t.turn_id, t.status ?? '']));
    violations.push(...checkHistory({ records, acknowledged, ledgerTurns, isRecordedBeforeReply: true }));
    const { isEqual, rebuilt } = await replay({ log, generations });
    if (!isEqual) violations.push({ rule: 'X0', what: 'the live ledger and a replay of the log have different digests' });
    generations.discard(rebuilt.generation);
    return { records: verified ?? records.length, violations };
  } finally {
    await log.close();
  }
}
