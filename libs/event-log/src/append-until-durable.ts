import { setTimeout as sleep } from 'node:timers/promises';
import { AppendIndefiniteError } from './errors.js';
import type { EventLog, NewRecord } from './event-log.js';

const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;

const passing = new Set(['ERR_DISK_FULL', 'ERR_LOG_BUSY', 'ERR_LOG_WRITE', 'ERR_LOG_UNREACHABLE']);

/** Whether a refusal by this code has a cause that goes by itself, or when an operator has freed some space. */
export const isPassing = (code: string): boolean => passing.has(code);

/** Whether the same record may get onto the log later. */
const mayPass = (error: unknown): boolean => error instanceof AppendIndefiniteError || isPassing((error as { code?: string }).code ?? '');

/**
 * Appends records under the same event ids again and again until the log confirms them (L7).
 * @throws what the log refuses for good, and whatever it answers once `isClosed` says so
 */
export async function appendUntilDurable(
  log: Pick<EventLog, 'append'>,
  topic: string,
  records: readonly NewRecord[],
  isClosed: () => boolean,
): Promise<void> {
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    try {
      await log.append(topic, records);
      return;
    } catch (error) {
      if (isClosed() || !mayPass(error)) throw error;
    }
    await sleep(wait, undefined, { ref: false });
  }
}
