import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../faults/free-port.js';
import { setTimeout as sleep } from 'node:timers/promises';

/** A real tool server from npm. */
export const EVERYTHING = createRequire(__filename).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** One message of a client, as the far side of the wire saw it. */
export interface Seen {
  /** The server's own session id; absent in the request that opens one. */
  readonly session: string | undefined;
  readonly method: string;
  readonly message: {
    readonly method?: string;
    readonly params?: { readonly name?: string; readonly arguments?: Record<string, unknown> };
  };
}

/** `server-everything` over Streamable HTTP, behind a proxy that notes every request. */
export class WatchedServer {
  readonly seen: Seen[] = [];
  /** Session ids that the server gave out, and those that were ended by DELETE. */
  readonly opened = new Set<string>();
  readonly ended = new Set<string>();

  private constructor(
    readonly url: string,
    private readonly proxy: Server,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<WatchedServer> {
    const port = await freePort();
    const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: 'ignore',
    });
    while (!(await fetch(`http://127.0.0.1:${port}/mcp`).catch(() => undefined))) await sleep(50);
    const proxy = createServer();
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const server = new WatchedServer(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`, proxy, child);
    proxy.on('request', (asked, answer) => {
      const chunks: Buffer[] = [];
      asked.on('data', (chunk: Buffer) => chunks.push(chunk));
      asked.on('end', () => {
        const body = Buffer.concat(chunks);
        const session = asked.headers['mcp-session-id'] as string | undefined;
        server.seen.push({
          session,
          method: asked.method!,
          message: body.length > 0 ? (JSON.parse(body.toString()) as Seen['message']) : {},
        });
        const onward = request(
          { port, path: asked.url, method: asked.method, headers: { ...asked.headers, host: `127.0.0.1:${port}` } },
          (got) => {
            const given = got.headers['mcp-session-id'];
            if (typeof given === 'string') server.opened.add(given);
            if (asked.method === 'DELETE' && session !== undefined && (got.statusCode ?? 500) < 300) server.ended.add(session);
            answer.writeHead(got.statusCode!, got.headers);
            got.pipe(answer);
          },
        );
        answer.on('close', () => onward.destroy());
        onward.on('error', () => answer.destroy());
        onward.end(body);
      });
    });
    return server;
  }

  /** By the server's session id: what its calls of `echo` said. */
  echoes(): Map<string, string[]> {
    const by = new Map<string, string[]>();
    for (const { session, message } of this.seen) {
      if (message.method !== 'tools/call' || message.params?.name !== 'echo') continue;
      by.set(session!, [...(by.get(session!) ?? []), message.params.arguments!.message as string]);
    }
    return by;
  }

  async stop(): Promise<void> {
    this.proxy.closeAllConnections();
    this.proxy.close();
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}
