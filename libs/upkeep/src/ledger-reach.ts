import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '@doorledger/event-log';
import type { LedgerReader } from '@doorledger/ledger';

const ASK_EVERY_MS = 50;

/** Whether the ledger comes to have read what the topic holds now, within `waitMs`. */
export async function hasReadAll(
  log: Pick<EventLog, 'ends'>,
  ledger: Pick<LedgerReader, 'positions'>,
  topic: string,
  waitMs: number,
): Promise<boolean> {
  const ends = await log.ends(topic);
  for (const until = performance.now() + waitMs; ; await sleep(ASK_EVERY_MS)) {
    const { positions } = await ledger.positions();
    if (ends.every(({ end }, partition) => positions[topic]![partition]! >= end)) return true;
    if (performance.now() > until) return false;
  }
}
