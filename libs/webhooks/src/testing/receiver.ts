import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

type Answering = (response: ServerResponse, received: Received) => void;

/** A receiver of webhooks on this machine that answers as it is told to, and keeps what it got. */
export class Receiver {
  readonly got: Received[] = [];
  /** 204 unless a spec says otherwise. */
  answer: Answering = (response) => void response.writeHead(204).end();
  /** How many requests it had open at once, at most. */
  mostOpen = 0;
  #open = 0;
  #arrived: () => void = () => {};

  private constructor(
    readonly port: number,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  static async start(port = 0): Promise<Receiver> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver((server.address() as AddressInfo).port, server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      receiver.mostOpen = Math.max(receiver.mostOpen, ++receiver.#open);
      response.once('close', () => receiver.#open--);
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { headers, url = '' } = request;
        const received = { id: String(headers['webhook-id']), headers, body: Buffer.concat(chunks).toString(), path: url };
        receiver.got.push(received);
        receiver.answer(response, received);
        receiver.#arrived();
      });
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** What it got once that is as it should be. */
  async until(is: (got: readonly Received[]) => boolean): Promise<readonly Received[]> {
    while (!is(this.got)) await new Promise<void>((resolve) => (this.#arrived = resolve));
    return this.got;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
