import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly note?: string } };
}

/** A tool server with one tool, `pay`, that answers at once and says when each call came. */
export class ConsentDesk {
  readonly #arrivals = new Map<string, number>();
  #calls = 0;

  private constructor(private readonly http: Server) {
    http.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<ConsentDesk> {
    const http = createServer();
    await once(http.listen(0, '127.0.0.1'), 'listening');
    return new ConsentDesk(http);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/mcp`;
  }

  /** Calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** `performance.now()` when the call with this note came. */
  arrivalOf(note: string): number {
    const at = this.#arrivals.get(note);
    if (at === undefined) throw new Error('No such call has come.');
    return at;
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (request.method === 'GET') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message = JSON.parse(text) as Message;
    const result = this.#resultOf(message);
    if (!result) return void response.writeHead(message.id === undefined ? 202 : 404).end();
    const named = message.method === 'initialize' && { 'mcp-session-id': randomUUID() };
    response.writeHead(200, { 'content-type': 'application/json', ...named });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  #resultOf({ method, params }: Message): object | undefined {
    switch (method) {
      case 'initialize':
        return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'desk', version: '1' } };
      case 'tools/list':
        return { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] };
      case 'tools/call':
        this.#calls++;
        this.#arrivals.set(params?.arguments?.note ?? '', performance.now());
        return { content: [{ type: 'text', text: 'paid' }] };
      default:
        return undefined;
    }
  }
}
