import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

/** What no sentence of ours may hold. */
export const PROVIDERS_WORDS = 'the provider quotes sk-secret and the conversation';

export interface Asked {
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: {
    readonly messages: readonly Record<string, unknown>[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly [field: string]: unknown;
  };
}

type Script = (reply: Reply, asked: Asked) => void | Promise<void>;

/** How the server answers one request, by hand. */
export class Reply {
  /** Resolves when the connection of this answer is closed, by whomever. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.closed = new Promise((resolve) => response.once('close', resolve));
  }

  status(status: number, headers: Record<string, string> = {}): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.#response.end(JSON.stringify({ error: { message: PROVIDERS_WORDS, type: PROVIDERS_WORDS } }));
  }

  /** Begins to say why, and does not end. */
  refuse(status: number): void {
    this.#response.writeHead(status).write(PROVIDERS_WORDS);
  }

  page(text: string): void {
    this.#response.writeHead(200, { 'content-type': 'text/html' }).end(text);
  }

  begin(): void {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  }

  raw(text: string | Uint8Array): void {
    if (!this.#response.headersSent) this.begin();
    this.#response.write(text);
  }

  event(data: unknown): void {
    this.raw(eventOf(data));
  }

  delta(delta: object, finish: string | null = null): void {
    this.event(chunkOf(delta, finish));
  }

  say(text: string, finish: string | null = null): void {
    this.delta({ content: text }, finish);
  }

  usage(prompt_tokens: unknown, completion_tokens: unknown): void {
    this.event({ choices: [], model: PROVIDERS_WORDS, usage: { prompt_tokens, completion_tokens } });
  }

  done(): void {
    this.raw('data: [DONE]\n\n');
    this.#response.end();
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  /** The whole stream in pieces of so many bytes, each on its way before the next. */
  async inPieces(events: readonly unknown[], size: number): Promise<void> {
    const bytes = Buffer.from(events.map(eventOf).join('') + 'data: [DONE]\n\n');
    for (let at = 0; at < bytes.length; at += size) {
      this.raw(bytes.subarray(at, at + size));
      await turn();
    }
    this.end();
  }
}

export const chunkOf = (delta: object, finish: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  model: PROVIDERS_WORDS,
  choices: [{ index: 0, delta, finish_reason: finish }],
});
export const callPiece = (piece: { index?: number; id?: string; name?: string; args?: string }): object => {
  const { name, args, ...rest } = piece;
  return { tool_calls: [{ ...rest, type: 'function', function: { name, arguments: args } }] };
};
const eventOf = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** A server of chat completions that answers its requests by the scripts it was given, in order. */
export class ChatServer {
  readonly asked: Asked[] = [];
  readonly #scripts: Script[] = [];
  readonly #http: Server = createServer((request, response) => void this.#serve(request, response));

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/v1`;
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return this;
  }

  next(...scripts: Script[]): void {
    this.#scripts.push(...scripts);
  }

  /** Begins the next answer and leaves it open; resolves when its connection is closed. */
  async closedAfter(begin: (reply: Reply) => unknown): Promise<void> {
    const reply = await new Promise<Reply>((resolve) => this.next(resolve));
    begin(reply);
    await reply.closed;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += String(part);
    const asked = { path: request.url, headers: request.headers, body: JSON.parse(body) as Asked['body'] };
    this.asked.push(asked);
    const script = this.#scripts.shift() ?? ((reply: Reply) => reply.status(418));
    await script(new Reply(response), asked);
  }
}
