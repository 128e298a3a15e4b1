import { Controller, Get, HttpException, Module, Req, type DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openApiDocument, type Operations, type Route } from '@doorledger/openapi';
import type { FastifyRequest } from 'fastify';
import { version } from '../../cli/src/version.js';
import type { Access } from './access.js';

/** What every process serves. */
const ofEveryProcess: Operations = {
  health: { method: 'get', path: '/health', summary: 'Alive.', who: 'machines', answers: { 200: '`{status, uptimeMs}`' } },
  ready: { method: 'get', path: '/ready', summary: 'Able to serve, or why not.', who: 'machines', answers: { 200: '`{status}`' } },
  metrics: {
    method: 'get',
    path: '/metrics',
    summary: 'What happens here, for Prometheus.',
    who: 'this machine, and those of the setting metrics.from',
    answers: { 200: 'Prometheus text.' },
    type: 'text/plain',
  },
  openApi: { method: 'get', path: '/v1/openapi.json', summary: 'This document.', who: 'everybody', answers: { 200: 'OpenAPI 3.1.' } },
};

/** The document of a process's own routes: the server's, not a list of them. */
class OpenApi {
  readonly #routes: Route[] = [];
  #document?: object;

  constructor(
    private readonly operations: Operations,
    readonly guard: Access['guard'],
  ) {}

  /** Listens for routes: before the first one is made. */
  watch(app: NestFastifyApplication): void {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) if (one !== 'HEAD' && one !== 'OPTIONS') this.#routes.push({ method: one, path: url });
    });
  }

  get document(): object {
    return (this.#document ??= openApiDocument(this.#routes, { ...ofEveryProcess, ...this.operations }, version()));
  }
}

@Controller('v1/openapi.json')
class OpenApiController {
  constructor(private readonly openApi: OpenApi) {}

  /** P2: behind the guard like every API (P1); it tells nothing that the published documentation does not, so nobody has to prove who they are. */
  @Get()
  read(@Req() request: FastifyRequest): object {
    const { method, headers, raw, socket } = request;
    const refused = this.openApi.guard({
      method,
      isUpgrade: false,
      isProbe: false,
      headers,
      rawHeaders: raw.rawHeaders,
      from: socket.remoteAddress,
    });
    if (refused) throw new HttpException({ error: refused.error, code: refused.code }, refused.status);
    return this.openApi.document;
  }
}

@Module({})
class OpenApiModule {}

/** The module, and what has it hear of the routes of its application. */
export function openApiOf(operations: Operations, { guard }: Pick<Access, 'guard'>): { module: DynamicModule; watch: OpenApi['watch'] } {
  const openApi = new OpenApi(operations, guard);
  return {
    module: { module: OpenApiModule, controllers: [OpenApiController], providers: [{ provide: OpenApi, useValue: openApi }] },
    watch: (app) => openApi.watch(app),
  };
}
