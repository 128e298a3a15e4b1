import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { encode, eventOf, partitionCounts, topics, type Fact } from '@doorledger/contracts';
import { openSqliteLog, type EventLog, type NewRecord } from '@doorledger/event-log';
import { LedgerGenerations, projectedTopics, rebuild } from '@doorledger/ledger';
import { newTurnId } from '@doorledger/turns';
import type { Bench } from '../row.js';
import { inScratch } from '../scratch.js';

const FACTS = Number(process.env.BENCH_FACTS ?? 1_000_000);
const TURNS_AT_ONCE = 500;
const TURNS_PER_SESSION = 4;
const FACTS_PER_TURN = 5;

const origin = { source: '/doorledger/bench/host', now: Date.now };
const hostId = 'bench';
const bootId = randomUUID();
const record = (key: string, fact: Fact): NewRecord => ({ key, ...encode(eventOf(fact, origin)) });

/** Whole turns as a host writes them: claimed, content, stepped, completed, the ingress record. */
async function writeTurns(log: EventLog, turns: number, say: (line: string) => void): Promise<void> {
  const last = new Map<string, string>();
  let seq = 0;
  for (let done = 0; done < turns; done += TURNS_AT_ONCE) {
    const batch = Array.from({ length: Math.min(TURNS_AT_ONCE, turns - done) }, (_, i) => {
      const sessionRef = createHash('sha256')
        .update(`${Math.floor((done + i) / TURNS_PER_SESSION)}`)
        .digest('hex')
        .slice(0, 32);
      return { sessionRef, turnId: newTurnId(), runId: newTurnId() };
    });
    const content = batch.map(({ sessionRef, turnId, runId }) =>
      record(sessionRef, {
        type: 'messages.added',
        data: { turnId, runId, messages: 2, keyId: bootId, sealed: randomBytes(120).toString('base64') },
      }),
    );
    const places = await log.append(topics.private.name, content);
    const facts = batch.flatMap(({ sessionRef, turnId, runId }, i) => {
      const { partition, offset } = places[i]!;
      const ref = { partition, offset, hash: createHash('sha256').update(content[i]!.value).digest('hex') };
      const after = last.get(sessionRef) ?? null;
      last.set(sessionRef, runId);
      return [
        record(sessionRef, { type: 'turn.claimed', data: { turnId, runId, hostId, bootId, after } }),
        record(sessionRef, { type: 'turn.stepped', data: { turnId, runId, step: 1, private: ref } }),
        record(sessionRef, { type: 'turn.completed', data: { turnId, runId, steps: 1, toolCalls: 0, private: ref, liveToolSessions: 0 } }),
      ];
    });
    const ingress = batch.map(({ sessionRef, turnId }) =>
      record(sessionRef, {
        type: 'ingress.recorded',
        data: {
          at: Date.now(),
          door: 'turn',
          outcome: 'served',
          bearerPresent: false,
          sessionRef,
          turnId,
          durationMs: 3,
          hostId,
          bootId,
          seq: ++seq,
        },
      }),
    );
    await Promise.all([log.append(topics.session.name, facts), log.append(topics.ingress.name, ingress)]);
    if (done % 20_000 === 0) say(`${(done * FACTS_PER_TURN).toLocaleString('en')} facts written`);
  }
}

/** Folds a log of a million facts into a new generation of tables. */
export const replay: Bench = {
  name: 'replay',
  about: `${FACTS.toLocaleString('en')} facts from the log's start into a new generation`,
  run: (say) =>
    inScratch(async (dir) => {
      const log = await openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });
      await writeTurns(log, FACTS / FACTS_PER_TURN, say);
      const readAt = performance.now();
      let read = 0;
      for (const topic of projectedTopics)
        for await (const { records } of log.read(
          topic,
          Array.from({ length: log.topics.get(topic)! }, () => 0),
        ))
          read += records.length;
      const readRate = (read * 1000) / (performance.now() - readAt);
      const { store } = new LedgerGenerations(dir).openNext();
      const upTo = Object.fromEntries(
        await Promise.all(projectedTopics.map(async (t) => [t, (await log.ends(t)).map(({ end }) => end)] as const)),
      );
      const startedAt = performance.now();
      await rebuild({ log, store, upTo });
      const rate = (read * 1000) / (performance.now() - startedAt);
      await store.close();
      await log.close();
      const baseline = { name: 'reading the same log and throwing it away', value: readRate };
      return [
        { name: 'replay', value: rate, unit: 'facts/s', baseline, ratio: rate / readRate, note: `${read.toLocaleString('en')} facts` },
      ];
    }),
};
