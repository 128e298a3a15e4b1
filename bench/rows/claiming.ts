import { randomUUID } from 'node:crypto';
import { topics, type Fact } from '@doorledger/contracts';
import { Claims, LogTail, SessionView, emptySession, startOfPartition, type EventLog } from '@doorledger/event-log';

const topic = topics.session.name;

/** What claims on a log with nobody else: a view that forgets at once what it has met, and its tail. */
export function claimingOn(log: EventLog): { readonly view: SessionView; readonly claims: Claims; readonly tail: LogTail } {
  const from = Array.from({ length: log.topics.get(topic)! }, () => startOfPartition);
  const view = new SessionView({ from, row: async () => ({ state: emptySession, next: 0 }) });
  const tail = new LogTail({
    log,
    from: { [topic]: from.map(() => 0) },
    deliver: (batch) => {
      view.apply(batch);
      view.projected(batch.partition, batch.records.at(-1)!.offset + 1);
    },
  });
  tail.start();
  return { view, tail, claims: new Claims({ log, view, origin: { source: '/doorledger/bench/host', now: Date.now } }) };
}

/** A claim on a key that nobody used. */
export const claimOf = (turnId: string): Fact => ({
  type: 'turn.claimed',
  data: { turnId, runId: randomUUID(), hostId: 'bench', bootId: randomUUID(), after: null },
});
