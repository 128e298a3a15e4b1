import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { LogRefusedError } from '../errors.js';
import { namedFileError } from './file.js';
import { APPENDED, ASKED, COUNT, MESSAGE, type SharedMemory, type WriterReply, type WriterRequest } from './writer-protocol.js';

/** Some hundred records: the transactions that somebody waits for are smaller. */
const SHARED_BYTES = 256 * 1024;

/** The writer's thread as the log sees it: one question at a time, and an end it may come to by itself. */
export class Writer {
  readonly #shared: SharedMemory = {
    control: new Int32Array(new SharedArrayBuffer(8)),
    frames: new SharedArrayBuffer(SHARED_BYTES),
  };
  readonly #memory = Buffer.from(this.#shared.frames);
  readonly #worker = new Worker(new URL(`./writer.worker${extname(import.meta.url)}`, import.meta.url), { workerData: this.#shared });
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
    if (reply !== APPENDED && reply.type === 'opened') return reply.epoch;
    const cause = reply === APPENDED ? reply : reply.cause;
    const error = Object.assign(new Error(cause), { code: cause });
    const named = namedFileError(error, path);
    throw named === error ? new LogRefusedError('ERR_LOG_STOPPED', "The log's writer could not start.", { cause }) : named;
  }

  /** Where the next transaction's frames can be written to, once the one before was answered. */
  framesOf(bytes: number): Buffer {
    return bytes <= SHARED_BYTES ? this.#memory : Buffer.allocUnsafeSlow(bytes);
  }

  /** `count` frames from the start of what `framesOf` gave: it goes to the thread. */
  append(frames: Buffer, count: number): Promise<WriterReply> {
    if (frames !== this.#memory) {
      const { buffer } = frames as Buffer<ArrayBuffer>;
      return this.#ask({ type: 'append', frames: buffer, count }, [buffer]);
    }
    if (this.#end) return Promise.resolve(this.#end);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#wake(count);
    });
  }

  /** Takes records away, in one transaction. */
  cut(cut: Omit<Extract<WriterRequest, { type: 'cut' }>, 'type'>): Promise<WriterReply> {
    return this.#ask({ type: 'cut', ...cut });
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
      this.#wake(MESSAGE);
    });
  }

  #wake(count: number): void {
    const { control } = this.#shared;
    control[COUNT] = count;
    Atomics.add(control, ASKED, 1);
    Atomics.notify(control, ASKED);
  }
}
