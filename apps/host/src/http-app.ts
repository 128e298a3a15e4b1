import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DoorledgerError } from '@doorledger/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NestLogger, type Logger } from '@doorledger/observability';
import { ErrorFilter, notFound } from './error.filter.js';

@Module({})
class RootModule {}

/** A Nest application over Fastify with these modules; answers unknown routes and errors as the doors do (D4, D22, P7). */
export async function httpApp(imports: readonly DynamicModule[], logger: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    forceCloseConnections: 'idle',
    // The doors say in their own words that they close (D5).
    return503OnClosing: false,
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      void reply.code(404).send(notFound(request.method, request.url)),
  });
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

/** R2: takes no new connections, lets answers under way end, then ends whatever is still connected. */
export async function closeServer(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const rest = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await app.getHttpAdapter().close();
  clearTimeout(rest);
}
