import { Controller, Get, HttpException, Inject, Module, Req, Res, type DynamicModule } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { scrapeRule } from '@doorledger/access';
import type { DoorledgerConfig } from '@doorledger/config';
import { Metrics } from '@doorledger/observability';

const RULE = Symbol('scrape rule');

@Controller('metrics')
class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    @Inject(RULE) private readonly judge: ReturnType<typeof scrapeRule>,
  ) {}

  /** P8: Prometheus text, to this machine and to whom the setting `metrics.from` lists. */
  @Get()
  async scrape(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const refused = this.judge({ headers: request.headers, from: request.socket.remoteAddress });
    if (refused) throw new HttpException({ error: refused.error, code: refused.code }, refused.status);
    void reply.header('content-type', this.metrics.contentType);
    return this.metrics.text();
  }
}

@Module({})
export class MetricsModule {
  /** @throws DoorledgerError `ERR_GUARD_CONFIG` */
  static with(metrics: Metrics, { metrics: { from = [] } }: Pick<DoorledgerConfig, 'metrics'>): DynamicModule {
    return {
      module: MetricsModule,
      controllers: [MetricsController],
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: RULE, useValue: scrapeRule(from) },
      ],
    };
  }
}
