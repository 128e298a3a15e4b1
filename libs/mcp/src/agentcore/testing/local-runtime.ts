import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpAnswer, MicroVm, type MicroVmOptions, type RpcMessage } from './micro-vm.js';
import type { SeenRequest } from './seen-request.js';

export interface LocalRuntimeOptions extends MicroVmOptions {
  /** `Authorization` that is let in; everybody by default. */
  readonly authorization?: string;
  readonly coldStartMs?: number;
  /** A microVM without a request for this long is gone. */
  readonly idleMs?: number;
  readonly now?: () => number;
}

const ARN = encodeURIComponent('arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/tools-a1b2c3');
const INVOKE = `/runtimes/${ARN}/invocations`;
const STOP = `/runtimes/${ARN}/stopruntimesession`;

/**
 * Amazon Bedrock AgentCore Runtime as far as an MCP client sees it: one microVM for each runtime session id, started cold by its first
 * request, gone when idle or stopped; a later request under the same id starts a new one that remembers nothing.
 */
export class LocalAgentCoreRuntime {
  readonly seen: SeenRequest[] = [];
  coldStarts = 0;
  readonly #options: LocalRuntimeOptions;
  readonly #server: Server;
  readonly #machines = new Map<string, { readonly vm: MicroVm; usedAt: number }>();
  readonly #planted: { readonly on: string; readonly answer: HttpAnswer }[] = [];
  readonly #now: () => number;

  private constructor(options: LocalRuntimeOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, headers, body }) => response.writeHead(status, headers).end(body));
    });
  }

  static async start(options: LocalRuntimeOptions): Promise<LocalAgentCoreRuntime> {
    const runtime = new LocalAgentCoreRuntime(options);
    await once(runtime.#server.listen(0, '127.0.0.1'), 'listening');
    return runtime;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${INVOKE}?qualifier=DEFAULT`;
  }

  /** The next request of this JSON-RPC method, or the next `stop`, is answered so and goes no further. */
  plant(on: string, status: number, headers: Readonly<Record<string, string>> = {}, body?: string): void {
    this.#planted.push({ on, answer: { status, headers, body } });
  }

  /** Runtime sessions that have a microVM now. */
  get running(): readonly string[] {
    return [...this.#machines.keys()];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<HttpAnswer> {
    const path = request.url!.replace(/\?qualifier=DEFAULT$/, '');
    const operation = operationOf(request.method, path);
    const body = await text(request);
    const message = operation === 'invoke' ? (JSON.parse(body) as RpcMessage) : undefined;
    const answer = await this.#judge(request, path, operation, message);
    this.seen.push({
      operation,
      runtimeSessionId: headerOf(request, 'x-amzn-bedrock-agentcore-runtime-session-id'),
      mcpSessionId: headerOf(request, 'mcp-session-id'),
      authorization: request.headers.authorization,
      rpcMethod: message?.method,
      who: message?.params?.arguments?.who,
      status: answer.status,
    });
    return answer;
  }

  async #judge(request: IncomingMessage, path: string, operation: SeenRequest['operation'], message?: RpcMessage): Promise<HttpAnswer> {
    const { authorization } = this.#options;
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
    }
    const session = headerOf(request, 'x-amzn-bedrock-agentcore-runtime-session-id');
    if (session !== undefined && (session.length < 33 || session.length > 256)) return exception(400, 'ValidationException');
    const planted = this.#planted.findIndex(({ on }) => on === (message?.method ?? operation));
    if (planted >= 0) return this.#planted.splice(planted, 1)[0]!.answer;
    if (operation === 'stop') return this.#stop(session);
    if (message === undefined || path !== INVOKE) return exception(404, 'UnknownOperationException');
    return this.#invoke(session, headerOf(request, 'mcp-session-id'), message);
  }

  async #invoke(session: string | undefined, mcpSessionId: string | undefined, message: RpcMessage): Promise<HttpAnswer> {
    const runtimeSessionId = session ?? mcpSessionId ?? randomUUID();
    const machine = this.#alive(runtimeSessionId) ?? (await this.#startMachine(runtimeSessionId));
    machine.usedAt = this.#now();
    const answer = machine.vm.answer(message, mcpSessionId);
    // The runtime names an MCP session in every answer, whether or not the server does.
    return { ...answer, headers: { 'mcp-session-id': mcpSessionId ?? runtimeSessionId, ...answer.headers } };
  }

  #alive(runtimeSessionId: string): { readonly vm: MicroVm; usedAt: number } | undefined {
    const machine = this.#machines.get(runtimeSessionId);
    if (machine && this.#now() - machine.usedAt < (this.#options.idleMs ?? Infinity)) return machine;
    this.#machines.delete(runtimeSessionId);
    return undefined;
  }

  async #startMachine(runtimeSessionId: string): Promise<{ readonly vm: MicroVm; usedAt: number }> {
    this.coldStarts++;
    const machine = { vm: new MicroVm(this.#options), usedAt: this.#now() };
    this.#machines.set(runtimeSessionId, machine);
    await delay(this.#options.coldStartMs ?? 1);
    return machine;
  }

  #stop(session: string | undefined): HttpAnswer {
    if (session === undefined) return exception(400, 'ValidationException');
    if (!this.#alive(session)) return exception(404, 'ResourceNotFoundException');
    this.#machines.delete(session);
    return { status: 200, headers: { 'x-amzn-bedrock-agentcore-runtime-session-id': session } };
  }
}

function operationOf(method: string | undefined, path: string): SeenRequest['operation'] {
  if (method === 'DELETE') return 'delete';
  if (method !== 'POST') return 'stream';
  return path === STOP ? 'stop' : 'invoke';
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  return request.headers[name] as string | undefined;
}

function exception(status: number, name: string): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json', 'x-amzn-errortype': name }, body: JSON.stringify({ message: name }) };
}
