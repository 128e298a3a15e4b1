import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: Readonly<Record<string, unknown>> };
}

type Held = 'initialize' | 'tools/call';

/** A tool server with one tool, `pay`, that keeps every order it was given: what it has not got did not run. */
export class ToolDesk {
  /** Arguments of every call that arrived, in order. */
  readonly orders: Readonly<Record<string, unknown>>[] = [];
  #description = 'Pays somebody.';
  readonly #held = new Set<Held>();
  #open: (() => void)[] = [];
  #arrived: (() => void)[] = [];
  readonly #waiting: Held[] = [];
  readonly #streams = new Set<ServerResponse>();

  private constructor(private readonly http: Server) {
    http.on('request', (request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<ToolDesk> {
    const http = createServer();
    await once(http.listen(0, '127.0.0.1'), 'listening');
    return new ToolDesk(http);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/mcp`;
  }

  /** How many orders bore this note. */
  times(note: string): number {
    return this.orders.filter((order) => order.note === note).length;
  }

  /** Requests of this kind are left without an answer until `release`. */
  hold(kind: Held): void {
    this.#held.add(kind);
  }

  release(): void {
    this.#held.clear();
    this.#waiting.length = 0;
    for (const open of this.#open.splice(0)) open();
  }

  /** Resolves when a request of this kind is held. */
  async holding(kind: Held): Promise<void> {
    while (!this.#waiting.includes(kind)) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  /** The tool is another one from now on, and whoever listens is told. */
  redefine(description: string): void {
    this.#description = description;
    const told = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    for (const stream of this.#streams) stream.write(`data: ${told}\n\n`);
  }

  async stop(): Promise<void> {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      this.#streams.add(response);
      return void response.once('close', () => this.#streams.delete(response));
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const message = JSON.parse(text) as Message;
    if (message.method === 'tools/call') this.orders.push(message.params!.arguments!);
    await this.#pass(message.method);
    const result = this.#resultOf(message);
    if (!result) return void response.writeHead(message.id === undefined ? 202 : 404).end();
    const named = message.method === 'initialize' && { 'mcp-session-id': randomUUID() };
    response.writeHead(200, { 'content-type': 'application/json', ...named });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  async #pass(method: string): Promise<void> {
    if (!this.#held.has(method as Held)) return;
    this.#waiting.push(method as Held);
    for (const tell of this.#arrived.splice(0)) tell();
    await new Promise<void>((resolve) => this.#open.push(resolve));
  }

  #resultOf({ method, params }: Message): object | undefined {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'desk', version: '1' },
        };
      case 'tools/list':
        return { tools: [{ name: 'pay', description: this.#description, inputSchema: { type: 'object' } }] };
      case 'tools/call':
        return { content: [{ type: 'text', text: `paid ${String(params?.arguments?.note)}` }] };
      default:
        return undefined;
    }
  }
}
