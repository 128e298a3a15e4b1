import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A place that publishes keys, right or wrong. */
export interface KeyServer {
  readonly url: string;
  /** Fetches so far. */
  fetches: number;
  /** What it answers: a key set, or something of the test's own. */
  answer: object | ((response: ServerResponse) => void);
  close(): Promise<void>;
}

export async function keyServer(): Promise<KeyServer> {
  const server = createServer((_request, response) => {
    keys.fetches++;
    if (typeof keys.answer === 'function') (keys.answer as (response: ServerResponse) => void)(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(keys.answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const keys: KeyServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    fetches: 0,
    answer: { keys: [] },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return keys;
}
