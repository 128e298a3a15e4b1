import { createHash } from 'node:crypto';
import type { DeadLetter, DeadWhy } from './webhook-store.js';

/** The columns of a dead letter, in either store. */
export interface DeadRow {
  readonly delivery_id: string;
  readonly endpoint: string;
  readonly event_id: string;
  readonly type: string;
  readonly request_id: string;
  readonly tries: number;
  readonly created_at: number;
  readonly dead_at: number;
  readonly why: string;
  readonly status: number | null;
  readonly error: string | null;
}

export const deadLetterOf = (row: DeadRow): DeadLetter => ({
  deliveryId: row.delivery_id,
  endpoint: row.endpoint,
  eventId: row.event_id,
  type: row.type,
  requestId: row.request_id,
  tries: row.tries,
  createdAt: row.created_at,
  deadAt: row.dead_at,
  why: row.why as DeadWhy,
  ...(row.status !== null && { status: row.status }),
  ...(row.error !== null && { error: row.error }),
});

/** An address may hold a secret: only whether it is still the same is kept. */
export const urlHash = (url: string): string => createHash('sha256').update(url).digest('hex');
