import { Controller, Get, HttpCode, Param, Post, Query, UseFilters, UseGuards } from '@nestjs/common';
import { LedgerError, MAX_PAGE, type Page } from '@doorledger/ledger';
import type { DeadLetter, EndpointStatus } from '@doorledger/webhooks';
import { Sent } from '../../../host/src/sent-fields.js';
import { WebhookSender } from '../webhook-sender.js';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { readName, readPage, readQuery, type Query as QueryObject } from './query.js';
import { NeedsOperator } from './viewer.js';

const DEFAULT_LIMIT = MAX_PAGE / 2;

interface DeadLetterItem extends Omit<DeadLetter, 'createdAt' | 'deadAt'> {
  readonly createdAt: string;
  readonly deadAt: string;
}

/** What operators see of webhooks, and may do (N54). */
@Controller('v1/webhooks')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
@NeedsOperator()
export class WebhooksController {
  constructor(private readonly sender: WebhookSender) {}

  @Get()
  async endpoints(@Query() query: QueryObject): Promise<{ readonly items: readonly EndpointStatus[] }> {
    readQuery(query, ledgerOperations.listWebhooks);
    return { items: await this.sender.webhooks.status() };
  }

  /** The one made last first. */
  @Get('dead-letters')
  async deadLetters(@Query() query: QueryObject): Promise<Page<DeadLetterItem>> {
    const asked = readQuery(query, ledgerOperations.listDeadLetters);
    const { limit = DEFAULT_LIMIT } = readPage(asked);
    const endpoint = readName('endpoint', asked.endpoint);
    const before = readName('cursor', asked.cursor);
    const letters = await this.sender.webhooks.deadLetters({
      limit: limit + 1,
      ...(endpoint !== undefined && { endpoint }),
      ...(before !== undefined && { before }),
    });
    const items = letters.slice(0, limit).map(itemOf);
    return { items, ...(letters.length > limit && { cursor: items[items.length - 1]!.deliveryId }) };
  }

  /** `{"endpoint": …}`: all of an endpoint's. */
  @Post('dead-letters/redeliver')
  @HttpCode(200)
  async redeliverAll(@Query() query: QueryObject, @Sent() fields: QueryObject): Promise<{ readonly redelivered: number }> {
    readQuery(query, ledgerOperations.redeliverDeadLetters);
    const { endpoint, ...more } = fields;
    if (typeof endpoint !== 'string' || Object.keys(more).length > 0)
      throw new LedgerError('ERR_INVALID_QUERY', 'Send {"endpoint": "<its name>"}.');
    return { redelivered: await this.sender.webhooks.redeliver({ endpoint }) };
  }

  @Post('dead-letters/:id/redeliver')
  @HttpCode(200)
  async redeliver(@Param('id') deliveryId: string, @Query() query: QueryObject): Promise<{ readonly redelivered: number }> {
    readQuery(query, ledgerOperations.redeliverDeadLetter);
    const redelivered = await this.sender.webhooks.redeliver({ deliveryId });
    if (redelivered === 0) throw new LedgerError('ERR_NOT_FOUND', 'There is no such dead letter.');
    return { redelivered };
  }
}

const itemOf = ({ createdAt, deadAt, ...letter }: DeadLetter): DeadLetterItem => ({
  ...letter,
  createdAt: new Date(createdAt).toISOString(),
  deadAt: new Date(deadAt).toISOString(),
});
