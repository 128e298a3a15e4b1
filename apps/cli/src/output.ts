import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { DoorledgerError } from '@doorledger/contracts';

/** Data of a command, one line at a time, no faster than the reader takes it. A reader that went away ends it quietly (X4). */
export class Output {
  readonly #gone = new AbortController();
  #failure: Error | undefined;

  constructor(readonly stream: Writable & { readonly isTTY?: boolean; readonly fd?: number }) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') this.#failure ??= error;
      this.#gone.abort();
    });
  }

  /** Aborted once nobody reads any more, or nothing more can be written. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Whether a person reads it. */
  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  async line(text: string): Promise<void> {
    if (this.gone.aborted || this.stream.write(`${text}\n`)) return;
    await once(this.stream, 'drain', { signal: this.gone }).catch(() => undefined);
  }

  json(value: unknown): Promise<void> {
    return this.line(JSON.stringify(value));
  }

  /** Everything was taken, or its reader went away. @throws DoorledgerError `ERR_OUTPUT_UNWRITABLE` */
  async end(): Promise<void> {
    if (!this.gone.aborted) await new Promise<void>((resolve) => this.stream.write('', () => setImmediate(resolve)));
    const { code } = (this.#failure ?? {}) as NodeJS.ErrnoException;
    if (this.#failure)
      throw unwritable(
        `Not all of the output could be written (${code ?? 'unknown'}): look at what standard output leads to.`,
        this.#failure,
      );
  }

  /** For a command that is run for its output alone. @throws DoorledgerError `ERR_OUTPUT_UNWRITABLE` */
  refuseClosed(): void {
    if (this.stream.fd !== undefined && isClosed(this.stream.fd))
      throw unwritable('Standard output is closed, so nothing of this would reach anybody: lead it to a file or a pipe.');
  }
}

const unwritable = (sentence: string, cause?: unknown): DoorledgerError =>
  new DoorledgerError('ERR_OUTPUT_UNWRITABLE', sentence, { cause });

const OPEN_MODE = 3;
const READ_AND_WRITE = 2;

/**
 * Whether a descriptor was closed when the process began. Node opens /dev/null in its place, for reading and writing, and a shell that throws
 * output away on purpose for writing only; only Linux tells.
 */
function isClosed(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    if (flags === undefined || (parseInt(flags, 8) & OPEN_MODE) !== READ_AND_WRITE) return false;
    return statSync(`/proc/self/fd/${fd}`).rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}
