import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DoorledgerError } from '@doorledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NestLogger, type Logger } from '@doorledger/observability';
import { ErrorFilter, notFound } from './error.filter.js';
import { leaveBodies } from './sent-fields.js';

@Module({})
class RootModule {}

/** A whole request, body included: whoever sends it slower than a bad phone line only holds a socket. */
const REQUEST_ARRIVES_WITHIN_MS = 60_000;

/** An id of N40 in a path: 400 characters of four bytes, each byte escaped. */
const MAX_PARAM_CHARACTERS = 4800;

const unreadable: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** What is no HTTP gets the doors' shape too (D6), and the connection ends: nobody knows where its next request begins. */
function answerUnreadable({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const body = JSON.stringify({ error: 'The request could not be read.' });
  const head = `HTTP/1.1 ${unreadable[code ?? ''] ?? '400 Bad Request'}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`);
}

/** Of every answer that says nothing else: what it shows is its reader's, by a cookie too, and no cache keeps it (P4). */
const unkept = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** What reached the socket and no door decided: it is counted (E4). */
export type Undecided = 'unreadable-request' | 'unrouted';

/** A Nest application over Fastify with these modules; answers unknown routes and errors as the doors do (D4, D22, P7). */
export async function httpApp(
  imports: readonly DynamicModule[],
  logger: Logger,
  onUndecided: (why: Undecided) => void,
): Promise<NestFastifyApplication> {
  const latest = new WeakMap<Socket, IncomingMessage>();
  const adapter = new FastifyAdapter({
    // A request without a Host is the guard's to refuse (G7).
    http: { requireHostHeader: false },
    forceCloseConnections: 'idle',
    // The doors say in their own words that they close (D5).
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    requestTimeout: REQUEST_ARRIVES_WITHIN_MS,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      // A request that breaks off in its body has its place, or gets it from the door that reads it (E1).
      if (error.code !== 'ECONNRESET' && latest.get(socket)?.complete !== false) onUndecided('unreadable-request');
      answerUnreadable(error, socket);
    },
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      onUndecided('unrouted');
      void reply.code(404).headers(unkept).send(notFound(request.method, request.url));
    },
  });
  adapter.getInstance().addHook('onRequest', (request, reply, next) => {
    void reply.headers(unkept);
    latest.set(request.raw.socket, request.raw);
    if (request.is404) onUndecided('unrouted');
    next();
  });
  leaveBodies(adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>({ module: RootModule, imports: [...imports] }, adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(new ErrorFilter(logger));
  return app;
}

/** @throws DoorledgerError `ERR_ADDRESS_IN_USE`, `ERR_ADDRESS` */
export async function listen(app: NestFastifyApplication, host: string, port: number): Promise<string> {
  try {
    // Not by Nest's own `listen`, which logs the failure before it is told in a sentence.
    await app.init();
    await app.getHttpAdapter().getInstance().listen({ port, host });
  } catch (cause) {
    const taken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw new DoorledgerError(
      taken ? 'ERR_ADDRESS_IN_USE' : 'ERR_ADDRESS',
      taken
        ? `Port ${port} on ${host} is taken. Stop what listens there, or choose another with --port or DOORLEDGER_PORT.`
        : `Cannot listen on ${host} port ${port}. Choose an address of this machine with --host or DOORLEDGER_HOST, and a free port.`,
      { cause },
    );
  }
  const address = app.getHttpServer().address() as { port: number };
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

const LAST_ANSWERS_MS = 1000;
/** A connection that is ended takes a request with it that is on its way: who keeps one has this long to ask, and hear that the host closes. */
const LAST_REQUESTS_MS = 200;

/** R2: takes no new connections, lets answers under way end, then ends whatever is still connected. */
export async function closeServer(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const isConnected = await new Promise<boolean>((resolve) => server.getConnections((_error, count) => resolve(count > 0)));
  if (isConnected) await sleep(LAST_REQUESTS_MS);
  const rest = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await app.getHttpAdapter().close();
  clearTimeout(rest);
}
