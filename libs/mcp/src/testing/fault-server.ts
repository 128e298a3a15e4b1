import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Answer, faults } from './http-faults.js';
import type { Posted, RpcMessage, SessionHolder } from './posted.js';

export interface FaultServerOptions {
  /** Pages of tool definitions; the faults by default. */
  readonly pages?: () => readonly { readonly tools: readonly object[]; readonly nextCursor?: string }[];
  readonly protocol?: '2025-11-25' | '2026-07-28';
}

export const toolOf = (name: string, description = `Does ${name}.`) => ({ name, description, inputSchema: { type: 'object' } });

/** An MCP server over HTTP that speaks JSON-RPC by hand, misbehaves as asked, and keeps count of what it received. */
export class FaultServer implements SessionHolder {
  readonly received: Posted[] = [];
  readonly methods: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  readonly cancelled: unknown[] = [];
  readonly bodies: string[] = [];
  readonly sessions = new Set<string>();
  readonly replay = new Map<string, object>();
  deleted = 0;
  initialized = 0;
  readonly #listeners = new Set<ServerResponse>();
  readonly #options: FaultServerOptions;
  readonly #http: Server;

  constructor(options: FaultServerOptions = {}) {
    this.#options = options;
    this.#http = createServer((request, response) => void this.#serve(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  /** Streams that are open for a server's own messages. */
  get listening(): number {
    return this.#listeners.size;
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(port, '127.0.0.1', resolve));
    return this;
  }

  /** How often a call with this tag was received. */
  times(tag: unknown): number {
    return this.received.filter(({ args }) => args['tag'] === tag).length;
  }

  forget(session: string | undefined): void {
    if (session !== undefined) this.sessions.delete(session);
  }

  /** Says something of its own to whoever listens. */
  tell(method: string): void {
    for (const stream of this.#listeners) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`);
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = request.headers['mcp-session-id'] as string | undefined;
    this.headers.push(request.headers);
    if (request.method === 'DELETE') {
      this.deleted++;
      this.forget(session);
      return void response.writeHead(200).end();
    }
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      this.#listeners.add(response);
      const asked = request.headers['last-event-id'] as string | undefined;
      const missed = asked === undefined ? undefined : this.replay.get(asked);
      if (missed) response.write(`data: ${JSON.stringify(missed)}\n\n`);
      return void response.once('close', () => this.#listeners.delete(response));
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const message = JSON.parse(body) as RpcMessage;
    this.methods.push(message.method ?? 'answer');
    if (session !== undefined && !this.sessions.has(session)) return void response.writeHead(404).end('no such session');
    this.#answer(message, body, session, response);
  }

  #answer(message: RpcMessage, body: string, session: string | undefined, response: ServerResponse): void {
    const answer = new Answer(response, message.id, this.#options.protocol === '2026-07-28');
    switch (message.method) {
      case 'initialize':
        return this.#initialize(message, response);
      case 'server/discover':
        if (this.#options.protocol !== '2026-07-28') return answer.status(404);
        return answer.json({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
      case 'tools/list':
        return this.#list(message, answer);
      case 'tools/call':
        return this.#call(message, body, session, answer);
      case 'notifications/cancelled':
        this.cancelled.push(message.params);
        return answer.status(202, {}, '');
      default:
        return answer.status(202, {}, '');
    }
  }

  #initialize(message: RpcMessage, response: ServerResponse): void {
    this.initialized++;
    const session = randomUUID();
    this.sessions.add(session);
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'faults', version: '1' },
    };
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  #list(message: RpcMessage, answer: Answer): void {
    const pages = this.#options.pages?.() ?? [{ tools: Object.keys(faults).map((name) => toolOf(name)) }];
    const cursor = message.params?.['cursor'];
    const page = pages[cursor === undefined ? 0 : pages.findIndex(({ nextCursor }) => nextCursor === cursor) + 1] ?? pages[0];
    if (page) answer.json(page);
  }

  #call(message: RpcMessage, body: string, session: string | undefined, answer: Answer): void {
    const args = (message.params?.['arguments'] ?? {}) as Record<string, unknown>;
    const times = this.received.filter((one) => JSON.stringify(one.args) === JSON.stringify(args)).length + 1;
    const posted = { message, args, session, times };
    this.received.push(posted);
    this.bodies.push(body);
    void faults[String(message.params?.['name'])]?.(answer, posted, this);
  }
}
