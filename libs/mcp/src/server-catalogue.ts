import type { Connection } from './connection.js';
import type { ServerSettings } from './settings.js';
import type { ListedTool } from './tools/tool-list.js';

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export interface ServerCatalogueOptions {
  readonly settings: ServerSettings;
  /** A connection for listing only; it is closed again. Rejects soon after the signal. */
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  readonly onListed: (listed: readonly ListedTool[]) => void;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Keeps one server's tool list (M2): read at the start on a connection of its own, that is closed again so that a server runs
 * only while a person uses it, and anew when a session hears that it changed. A server that is not there is asked again, at
 * growing intervals.
 */
export class ServerCatalogue {
  readonly #options: ServerCatalogueOptions;
  #listing: Promise<void> | undefined;
  #reading: Promise<unknown> | undefined;
  #isStale = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  readonly #closing = new AbortController();

  constructor(options: ServerCatalogueOptions) {
    this.#options = options;
  }

  /** What the server lists now; undefined, said by onTrouble, where it is not there. */
  async first(): Promise<readonly ListedTool[] | undefined> {
    try {
      return await this.#read();
    } catch (error) {
      this.#options.onTrouble(error);
      this.#later();
      return undefined;
    }
  }

  /** A session heard of a change. Changes while a list is being read make one more reading, not many. */
  changed(connection: Connection): void {
    this.#isStale = true;
    this.#listing ??= this.#relist(connection).finally(() => {
      this.#listing = undefined;
    });
  }

  /** Gives up what is being read, within the server's close bound (M5). */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retry);
    await Promise.allSettled([this.#listing, this.#reading]);
  }

  async #relist(connection: Connection): Promise<void> {
    while (this.#isStale && !this.#closing.signal.aborted) {
      this.#isStale = false;
      try {
        this.#listed(await connection.list().catch((error: unknown) => this.#instead(connection, error)));
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#options.onTrouble(error);
        this.#later();
      }
    }
  }

  /** The session that heard of it ended meanwhile: the change is read all the same. */
  #instead(connection: Connection, error: unknown): Promise<readonly ListedTool[]> {
    if (!connection.isOver) throw error;
    return this.#read();
  }

  #read(): Promise<readonly ListedTool[]> {
    const reading = this.#readAlone();
    this.#reading = reading;
    return reading;
  }

  async #readAlone(): Promise<readonly ListedTool[]> {
    const { signal } = this.#closing;
    signal.throwIfAborted();
    const connection = await this.#options.open(signal);
    const stop = () => void connection.close('drop');
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await connection.list();
    } finally {
      signal.removeEventListener('abort', stop);
      await connection.close('terminate');
    }
  }

  #listed(listed: readonly ListedTool[]): void {
    if (this.#closing.signal.aborted) return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#options.onListed(listed);
  }

  #later(): void {
    if (this.#closing.signal.aborted) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#again(), this.#retryMs);
    this.#retry.unref();
    this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
  }

  async #again(): Promise<void> {
    try {
      this.#listed(await this.#read());
    } catch {
      // Said once, at the first time.
      this.#later();
    }
  }
}
