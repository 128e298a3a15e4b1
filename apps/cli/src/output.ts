import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Data of a command, one line at a time, no faster than the reader takes it. A reader that went away ends it quietly (X4). */
export class Output {
  readonly #gone = new AbortController();

  constructor(readonly stream: Writable & { readonly isTTY?: boolean }) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
      this.#gone.abort();
    });
  }

  /** Aborted once nobody reads any more. */
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
}
