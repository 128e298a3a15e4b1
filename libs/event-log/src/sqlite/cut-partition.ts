import { LogRefusedError } from '../errors.js';
import type { AppendQueue } from './append-queue.js';
import type { LogFile } from './log-file.js';
import { type Slot, placeOf } from './partition-table.js';
import type { Writer } from './writer.js';
import { APPENDED } from './writer-protocol.js';

/** Of one transaction, so that appends go on in between. */
const RECORDS_AT_ONCE = 2_000;

/**
 * Moves a partition's start to `before` and takes the records below it away. The start moves first: what a crash leaves below it is read by
 * nobody, and goes with the next cut.
 * @throws LogRefusedError `ERR_LOG_STOPPED`
 */
export async function cutPartition(
  { file, writer, queue }: { readonly file: LogFile; readonly writer: Pick<Writer, 'cut'>; readonly queue: AppendQueue },
  slot: Slot,
  before: number,
): Promise<void> {
  const first = file.first(slot) ?? before;
  for (let from = Math.min(first, before), isFirst = true; isFirst || from < before; from += RECORDS_AT_ONCE, isFirst = false) {
    const until = Math.min(before, from + RECORDS_AT_ONCE);
    const cut = { slot: slot.slot, start: before, from: placeOf(slot.slot, from), until: placeOf(slot.slot, until) };
    const reply = await queue.between(() => writer.cut(cut));
    if (reply !== APPENDED)
      throw new LogRefusedError('ERR_LOG_STOPPED', "The log's writer has stopped: restart the process.", { cause: reply.type });
  }
}
