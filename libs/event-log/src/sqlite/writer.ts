import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LogRefusedError } from '../errors.js';
import { namedFileError } from './file.js';
import type { WriterReply, WriterRequest } from './writer-protocol.js';

/** The writer's thread as the log sees it: one question at a time, and an end it may come to by itself. */
export class Writer {
  readonly #worker = new Worker(new URL(`./writer.worker${extname(import.meta.url)}`, import.meta.url));
  readonly #ended: Promise<void>;
  #end?: WriterReply;
  #answer: (reply: WriterReply) => void = () => {};

  constructor() {
    this.#ended = new Promise((resolve) => {
      const end = (cause: string): void => {
        this.#end ??= { type: 'stopped', cause };
        this.#answer(this.#end);
        resolve();
      };
      this.#worker.once('error', (error) => end(error.message));
      this.#worker.once('exit', (code) => end(`exit code ${code}`));
    });
    this.#worker.on('message', (reply: WriterReply) => this.#answer(reply));
  }

  /**
   * Counts this start in the file and returns the count.
   * @throws LogRefusedError `ERR_DISK_FULL`, `ERR_DATA_UNWRITABLE`, `ERR_FILE_TORN`, `ERR_LOG_STOPPED`
   */
  async open(path: string): Promise<number> {
    const reply = await this.#ask({ type: 'open', path });
    if (reply.type === 'opened') return reply.epoch;
    const cause = 'cause' in reply ? reply.cause : reply.type;
    const error = Object.assign(new Error(cause), { code: cause });
    const named = namedFileError(error, path);
    throw named === error ? new LogRefusedError('ERR_LOG_STOPPED', "The log's writer could not start.", { cause }) : named;
  }

  /** The memory of `frames` goes to the thread. */
  append(frames: ArrayBuffer, count: number): Promise<WriterReply> {
    return this.#ask({ type: 'append', frames, count }, [frames]);
  }

  async close(): Promise<void> {
    await this.#ask({ type: 'close' });
    await this.#ended;
  }

  /** As when the thread dies: nothing is asked, nothing finished. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #ask(request: WriterRequest, transfer: ArrayBuffer[] = []): Promise<WriterReply> {
    if (this.#end) return Promise.resolve(this.#end);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#worker.postMessage(request, transfer);
    });
  }
}
