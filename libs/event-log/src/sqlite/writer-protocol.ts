/** What the log asks of its writer's thread; one question is open at a time. */
export type WriterRequest =
  | { readonly type: 'open'; readonly path: string }
  /** `count` frames (see record-frame) from the start of `frames`, to be one transaction. */
  | { readonly type: 'append'; readonly frames: ArrayBuffer; readonly count: number }
  /** Answered by the thread's end. */
  | { readonly type: 'close' };

export type WriterReply =
  /** The count of starts, this one included. */
  | { readonly type: 'opened'; readonly epoch: number }
  /** Durable. `timestamp` is the log append time of them all, ms since the Unix epoch. */
  | { readonly type: 'appended'; readonly timestamp: number }
  /** Nothing of the append is on the log. */
  | { readonly type: 'refused'; readonly cause: string }
  /** The thread cannot go on; the append in flight may or may not be on the log. */
  | { readonly type: 'stopped'; readonly cause: string };

/** The cause of a stop: log.db is not where it was. */
export const FILE_GONE = 'file gone';

export const stopSentence = (cause: string): string =>
  cause === FILE_GONE
    ? 'log.db was moved or removed while it was written to, and the writer has stopped: put it back and restart the process.'
    : "The log's writer has stopped: restart the process.";
