import { isKnownType, isOfType } from '@doorledger/contracts';
import type { EventLog, LogPositions } from '@doorledger/event-log';
import { LedgerError } from '@doorledger/ledger';
import { readPlace } from './feed-place.js';

const refused = (message: string): LedgerError => new LedgerError('ERR_INVALID_QUERY', message);

/** `type=turn.*,consent.spent`. @throws LedgerError `ERR_INVALID_QUERY` for a type that no fact has */
export function readTypes(types: string | undefined): (type: string | undefined) => boolean {
  if (types === undefined) return () => true;
  const patterns = types.split(',');
  if (!patterns.every(isKnownType)) throw refused('type is a list of types of facts such as consent.spent, or of families such as turn.*.');
  return (type) => patterns.some((pattern) => isOfType(pattern, type));
}

/**
 * Where a stream begins: after the frame of that id, else at `from` (`start` or `end`). What is not kept any more (X3) is passed over.
 * @throws LedgerError `ERR_INVALID_QUERY`
 */
export async function startOf(
  log: Pick<EventLog, 'ends'>,
  topics: ReadonlyMap<string, number>,
  { from = 'end', lastId }: { readonly from?: string; readonly lastId?: string },
): Promise<LogPositions> {
  if (from !== 'start' && from !== 'end')
    throw refused('from is start or end; to go on where a stream was, send its last id as Last-Event-ID.');
  const place = lastId === undefined ? undefined : readPlace(topics, lastId);
  if (lastId !== undefined && !place)
    throw refused('Last-Event-ID is no id of this stream: leave it out, and begin with from=start or end.');
  const starts: Record<string, readonly number[]> = {};
  for (const topic of topics.keys()) {
    const ranges = await log.ends(topic);
    starts[topic] = ranges.map(({ start, end }, partition) => {
      const wanted = place?.[topic]![partition] ?? (from === 'start' ? start : end);
      if (wanted > end) throw refused('Last-Event-ID is of a log that went further than this one: begin with from=start or end.');
      return Math.max(wanted, start);
    });
  }
  return starts;
}
