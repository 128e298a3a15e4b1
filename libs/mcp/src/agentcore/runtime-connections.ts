import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LocalSessionHandleLostError } from './errors.js';

/** What one client's requests are sent under (M24): only `owner`, the transport that opened it, may use it. */
export interface RuntimeConnection {
  readonly owner: symbol;
  readonly runtimeSessionId: string;
  /** As the server named it. Two servers may use the same name, so it never identifies anything here (M22). */
  readonly mcpSessionId: string;
}

/**
 * The `reuse` connections of one process, by the random handles that clients see instead of the servers' ids. The least recently used one
 * past `limit` is forgotten (M21): its remote session ends by itself when the runtime finds it idle.
 */
export class RuntimeConnections {
  readonly #held: LRUCache<string, RuntimeConnection>;

  constructor(limit = 256) {
    this.#held = new LRUCache({ max: limit });
  }

  /** @returns the handle */
  hold(connection: RuntimeConnection): string {
    const handle = randomBytes(32).toString('base64url');
    this.#held.set(handle, connection);
    return handle;
  }

  /** @throws LocalSessionHandleLostError for a handle that was never given to this owner, or was forgotten (M20) */
  of(handle: string, owner: symbol): RuntimeConnection {
    const connection = this.#held.get(handle);
    if (connection?.owner !== owner) throw new LocalSessionHandleLostError();
    return connection;
  }

  forget(handle: string): void {
    this.#held.delete(handle);
  }

  get size(): number {
    return this.#held.size;
  }
}
