import { DoorledgerError } from '@doorledger/contracts';
import type { EventLog } from '@doorledger/event-log';
import { ledgerReader, type Generations, type OpenGeneration } from '@doorledger/ledger';

/** A partition that ends before the place up to which the ledger has read it: its topic was made anew, or cut at its end. */
export interface LostRecords {
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
  readonly read: number;
}

/** What the ledger has read and the log does not hold any more (K8); nothing where there is no ledger that can be read. */
export async function lostRecords(log: EventLog, generations: Generations): Promise<LostRecords[]> {
  const ledger = await openLedger(generations);
  if (!ledger) return [];
  try {
    const { positions } = await ledgerReader(ledger.store, log.topics).positions();
    const lost: LostRecords[] = [];
    for (const [topic, places] of Object.entries(positions)) {
      const ranges = await log.ends(topic);
      for (const [partition, { end }] of ranges.entries())
        if (places[partition]! > end) lost.push({ topic, partition, end, read: places[partition]! });
    }
    return lost;
  } finally {
    await ledger.store.close();
  }
}

const NONE: readonly string[] = ['ERR_FILE_MISSING', 'ERR_FILE_OLDER', 'ERR_LEDGER_MISSING', 'ERR_LEDGER_OLDER'];

async function openLedger(generations: Generations): Promise<OpenGeneration | undefined> {
  try {
    return await generations.openLiveReader();
  } catch (error) {
    if (error instanceof DoorledgerError && NONE.includes(error.code)) return undefined;
    throw error;
  }
}
