import { LRUCache } from 'lru-cache';

/** One private record's messages as JSON text: each reader parses its own, so nobody changes another's. */
export interface OpenedContent {
  readonly place: string;
  readonly turnId: string;
  readonly keyId: string;
  readonly text: string;
}

/** What was opened of a session: everything that its records up to `until` name. */
export interface OpenedHistory {
  /** Offset in the session topic. */
  readonly until: number;
  readonly content: readonly OpenedContent[];
}

const MAX_CHARS = 32 * 1024 * 1024;
/** However busy a session is, its history is read anew after this: what retention took away is gone then (X3). */
const KEPT_MS = 600_000;

const charsOf = ({ content }: OpenedHistory): number => content.reduce((sum, { text }) => sum + text.length + 200, 1);

/** Histories by session key, so that a turn reads and decrypts only what was said since the last one of its session here. Plain text: memory only. */
export const openedHistories = () =>
  new LRUCache<string, OpenedHistory>({
    maxSize: MAX_CHARS,
    maxEntrySize: MAX_CHARS / 8,
    sizeCalculation: charsOf,
    ttl: KEPT_MS,
    noUpdateTTL: true,
    ttlAutopurge: true,
  });
