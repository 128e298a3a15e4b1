import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface LosingProxy {
  /** The address of the database through the proxy. */
  readonly url: string;
  /**
   * The next commit is lost to its client: the connection breaks when the statement comes. The server gets it with `deliver`, and takes the
   * transaction back with `drop`.
   */
  loseCommit(): LostCommit;
  close(): Promise<void>;
}

export interface LostCommit {
  readonly isLost: Promise<void>;
  deliver(): void;
  drop(): void;
}

/** Between a client and a server, to break connections where it matters. */
export async function losingProxy(to: string): Promise<LosingProxy> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let onCommit: ((client: Socket, server: Socket, chunk: Buffer) => void) | undefined;
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      sockets.add(socket.on('error', () => {}));
      socket.on('close', () => sockets.delete(socket));
    }
    server.pipe(client);
    client.on('data', (chunk) => {
      const take = chunk.includes('commit\u0000') ? onCommit : undefined;
      onCommit = take ? undefined : onCommit;
      if (take) take(client, server, chunk);
      else server.write(chunk);
    });
    client.on('end', () => server.end());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(to);
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    loseCommit: () => {
      let late: { readonly server: Socket; readonly chunk: Buffer } | undefined;
      const isLost = new Promise<void>((resolve) => {
        onCommit = (client, server, chunk) => {
          client.removeAllListeners('end');
          server.unpipe(client);
          client.destroy();
          late = { server, chunk };
          resolve();
        };
      });
      return { isLost, deliver: () => late?.server.write(late.chunk), drop: () => late?.server.destroy() };
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
