import { encode, eventOf, partitionCounts, topics, type Fact } from '@doorledger/contracts';
import { openSqliteLog, type EventLog } from '@doorledger/event-log';

export const openWriter = (dir: string): Promise<EventLog> => openSqliteLog({ dir, role: 'writer', topics: partitionCounts('embedded') });

const TURN = '00000000-0000-4000-8000-000000000001';
const RUN = '00000000-0000-4000-8000-00000000000';

/** Appends a renewal of run `n`, which is void for every fold: these logs are for reading, not for judging. */
export async function appendRenewal(log: EventLog, n: number): Promise<void> {
  const fact: Fact<'turn.renewed'> = { type: 'turn.renewed', data: { turnId: TURN, runId: `${RUN}${n}` } };
  const event = eventOf(fact, { source: '/doorledger/test/host', now: () => 0 });
  await log.append(topics.session.name, [{ key: TURN, ...encode(event) }]);
}
