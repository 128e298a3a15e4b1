/**
 * What the log and its writer's thread share. The thread sleeps on `control` instead of an event loop, and a transaction that fits
 * into `frames` needs no message: that takes a twentieth off what a claim waits for.
 */
export interface SharedMemory {
  /** At `ASKED`, how often the thread was asked. At `COUNT`, what the last question is. */
  readonly control: Int32Array<SharedArrayBuffer>;
  readonly frames: SharedArrayBuffer;
}

export const ASKED = 0;
/** To append so many records, as one transaction, whose frames are in shared memory; or `MESSAGE`. */
export const COUNT = 1;
/** The question is a message. */
export const MESSAGE = -1;

/** What the log asks of its writer's thread in a message; one question is open at a time. */
export type WriterRequest =
  | { readonly type: 'open'; readonly path: string }
  /** `count` frames (see record-frame) from the start of `frames`, to be one transaction: more than fit into shared memory. */
  | { readonly type: 'append'; readonly frames: ArrayBuffer; readonly count: number }
  /** The partition starts at `start`; its records at places from `from` to before `until` go. */
  | { readonly type: 'cut'; readonly slot: number; readonly start: number; readonly from: number; readonly until: number }
  /** Answered by the thread's end. */
  | { readonly type: 'close' };

export type WriterReply =
  /** The count of starts, this one included. */
  | { readonly type: 'opened'; readonly epoch: number }
  | typeof APPENDED
  /** Nothing of the append is on the log. */
  | { readonly type: 'refused'; readonly cause: string }
  /** The thread cannot go on; the append in flight may or may not be on the log. */
  | { readonly type: 'stopped'; readonly cause: string };

/** Durable. Nothing but this word is sent for it: it is part of every commit's wait. */
export const APPENDED = 'appended';

/** The cause of a stop: log.db is not where it was. */
export const FILE_GONE = 'file gone';

export const stopSentence = (cause: string): string =>
  cause === FILE_GONE
    ? 'log.db was moved or removed while it was written to, and the writer has stopped: put it back and restart the process.'
    : "The log's writer has stopped: restart the process.";
