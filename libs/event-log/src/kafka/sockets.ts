import type { Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';
import defaultFactory from 'kafkajs/src/network/socketFactory.js';
import './quiet-queue.js';

/**
 * The sockets of one client, so that it can be thrown away at once: kafkajs itself waits for the answers of a broker that
 * hangs before it lets a connection go.
 */
export class Sockets {
  readonly #open = new Set<Socket>();
  readonly #connect = defaultFactory();
  #isClosed = false;

  readonly factory: ISocketFactory = (target) => {
    if (this.#isClosed) throw new Error('this client was thrown away');
    const socket = this.#connect(target);
    // kafkajs listens once more for each request that waits for the connection, and Node takes many for a leak.
    socket.setMaxListeners(0);
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  };

  /** Every request in flight is rejected; no new connection is made. */
  destroy(): void {
    this.#isClosed = true;
    for (const socket of this.#open) socket.destroy(new Error('this client was thrown away'));
  }
}
