import { isObservable, lastValueFrom } from 'rxjs';
import type { RecordBatch } from '../event-log.js';

/** Hands a batch to its handler and waits for it; what the handler throws is thrown. Topics without one are passed over. */
export async function dispatch(batch: RecordBatch, handler: ((batch: RecordBatch) => Promise<unknown>) | null): Promise<void> {
  const result: unknown = await handler?.(batch);
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
}
