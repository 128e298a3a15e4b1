import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { LedgerCommit } from '../store.js';
import { rowWrites } from './row-writes.js';
import type { WriterReply, WriterRequest, WriterStart } from './writer-protocol.js';

interface Asked {
  readonly resolve: (outcome: 'committed' | 'stale') => void;
  readonly reject: (error: Error) => void;
}

/** The writer's thread as a ledger sees it. Commits are answered in order; at the thread's end all open ones are unknown. */
export class WriterThread {
  /** Resolves when the thread is over, with its connection closed. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #asked: Asked[] = [];
  #end?: Error;

  constructor(start: WriterStart) {
    this.#worker = new Worker(new URL(`./writer.worker${extname(import.meta.url)}`, import.meta.url), { workerData: start });
    this.#worker.on('message', (reply: WriterReply) => this.#answer(reply));
    let cause: Error | undefined;
    this.#worker.once('error', (error) => (cause = error));
    this.ended = new Promise((resolve) =>
      this.#worker.once('exit', () => {
        this.#end = new Error("The ledger's writer has stopped.", { cause });
        for (const { reject } of this.#asked.splice(0)) reject(this.#end);
        resolve();
      }),
    );
  }

  /** Rejects when nothing was written, or when the thread ended and nobody knows. */
  commit({ advances, changes }: LedgerCommit): Promise<'committed' | 'stale'> {
    if (this.#end) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#ask({ type: 'commit', advances, writes: rowWrites(changes) });
      this.#asked.push({ resolve, reject });
    });
  }

  async close(): Promise<void> {
    this.#ask({ type: 'close' });
    await this.ended;
  }

  #ask(request: WriterRequest): void {
    this.#worker.postMessage(request);
  }

  #answer(reply: WriterReply): void {
    const { resolve, reject } = this.#asked.shift()!;
    if (reply.type === 'failed') reject(Object.assign(new Error(reply.message), { code: reply.code }));
    else resolve(reply.type);
  }
}
