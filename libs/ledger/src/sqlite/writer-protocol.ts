import type { Advance } from '../store.js';

export type Value = string | number | Uint8Array | null;

/** Rows for statements of one shape: `head`, so many `row`s, `tail`. Each row takes `width` of the `values`. */
export interface RowWrite {
  readonly head: string;
  readonly row: string;
  readonly tail: string;
  readonly width: number;
  readonly values: readonly Value[];
}

/** What the writer's thread starts with. */
export interface WriterStart {
  readonly path: string;
  readonly cacheKib: number;
  /** The write-ahead file goes to the main file when it holds more than this. */
  readonly walBytes: number;
}

/** What a ledger asks of its writer's thread. Answered in the order asked. */
export type WriterRequest =
  | { readonly type: 'commit'; readonly advances: readonly Advance[]; readonly writes: readonly RowWrite[] }
  /** Answered by the thread's end. */
  | { readonly type: 'close' };

export type WriterReply =
  | { readonly type: 'committed' }
  /** A place was not where the projector believes: nothing was written. */
  | { readonly type: 'stale' }
  /** Nothing was written. `code` is SQLite's. */
  | { readonly type: 'failed'; readonly message: string; readonly code?: string };
