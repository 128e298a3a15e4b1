import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands in front of a real server and counts what reaches it, at its side of the wire. */
export class CountingProxy {
  initialized = 0;
  deleted = 0;
  /** What was called under each of the server's sessions: the argument `message` of every call. */
  readonly calls = new Map<string, string[]>();
  readonly #target: string;
  readonly #http: Server;

  constructor(target: string) {
    this.#target = target;
    this.#http = createServer((request, response) => void this.#pass(request, response));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return this;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (request.method === 'DELETE') this.deleted++;
    if (request.method === 'POST') this.#count(body.toString(), request.headers['mcp-session-id'] as string | undefined);
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const passed = httpRequest(this.#target, { method: request.method ?? 'GET', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    passed.once('error', () => response.destroy());
    response.once('close', () => passed.destroy());
    passed.end(body);
  }

  #count(body: string, session: string | undefined): void {
    const { method, params } = JSON.parse(body) as { method?: string; params?: { arguments?: { message?: string } } };
    if (method === 'initialize') this.initialized++;
    if (method !== 'tools/call' || session === undefined) return;
    const called = this.calls.get(session) ?? [];
    called.push(params?.arguments?.message ?? '');
    this.calls.set(session, called);
  }
}
