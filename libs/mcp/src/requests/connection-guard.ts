import { RequestRefusedError } from '../errors.js';

export type GuardedWork = 'open' | 'list' | 'call' | 'close';

/** The requests each kind of work may send: JSON-RPC methods, and HTTP's own way to end a session. */
const allowed: Readonly<Record<string, GuardedWork>> = {
  initialize: 'open',
  'server/discover': 'open',
  'subscriptions/listen': 'open',
  ping: 'open',
  'tools/list': 'list',
  'tools/call': 'call',
  DELETE: 'close',
};

/**
 * Whose work a request is (M17). Whoever opens, lists, calls or closes holds the guard while it does; a request that nobody
 * holds it for is refused before it leaves, under every policy. Notifications are never refused: they are counted.
 */
export class ConnectionGuard {
  readonly #held: Record<GuardedWork, number> = { open: 0, list: 0, call: 0, close: 0 };
  #isShut = false;
  notifications = 0;
  /** Those of them that cancelled a call which had not settled. */
  cancels = 0;

  /** Answers the release, which may be called more than once. @throws RequestRefusedError ERR_CONNECTION_CLOSED after shut() */
  hold(work: GuardedWork): () => void {
    if (this.#isShut && work !== 'close')
      throw new RequestRefusedError('ERR_CONNECTION_CLOSED', 'This connection is closed; open another.');
    this.#held[work]++;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held[work]--;
      isHeld = false;
    };
  }

  async during<T>(work: GuardedWork, run: () => Promise<T>): Promise<T> {
    const release = this.hold(work);
    try {
      return await run();
    } finally {
      release();
    }
  }

  /** @throws RequestRefusedError ERR_REQUEST_UNGUARDED */
  check(method: string): void {
    const work = allowed[method];
    if (work !== undefined && this.#held[work] > 0) return;
    throw new RequestRefusedError('ERR_REQUEST_UNGUARDED', 'A request that nobody asked for was not sent on a pooled connection.');
  }

  /** No new work from now on but closing. */
  shut(): void {
    this.#isShut = true;
  }
}
