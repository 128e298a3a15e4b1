import type { Connection } from './connection.js';
import type { ServerSettings } from './settings.js';
import type { ListedTool } from './tools/tool-list.js';

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

export interface ServerCatalogueOptions {
  readonly settings: ServerSettings;
  /** A connection for listing only; it is closed again. */
  readonly open: () => Promise<Connection>;
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
  #isStale = false;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #isClosed = false;

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

  /** Ends the retries and waits for what is being read, which is bounded. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#listing;
  }

  async #relist(connection: Connection): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      try {
        this.#listed(connection.isOver ? await this.#read() : await connection.list());
      } catch (error) {
        this.#options.onTrouble(error);
        this.#later();
      }
    }
  }

  async #read(): Promise<readonly ListedTool[]> {
    const connection = await this.#options.open();
    try {
      return await connection.list();
    } finally {
      await connection.close('terminate');
    }
  }

  #listed(listed: readonly ListedTool[]): void {
    if (this.#isClosed) return;
    this.#retryMs = FIRST_RETRY_MS;
    this.#options.onListed(listed);
  }

  #later(): void {
    if (this.#isClosed) return;
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
