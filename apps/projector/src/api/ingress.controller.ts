import { Controller, Get, Query, UseFilters } from '@nestjs/common';
import { listIngress, type IngressItem, type Page } from '@doorledger/ledger';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { LedgerReads } from './ledger-reads.js';
import { pageParameters, readPage, readQuery, type Query as QueryObject } from './query.js';

@Controller('v1/ingress')
@UseFilters(LedgerErrorFilter)
export class IngressController {
  constructor(private readonly reads: LedgerReads) {}

  @Get()
  async list(@Query() query: QueryObject): Promise<Page<IngressItem>> {
    const { at, ...page } = readQuery(query, pageParameters);
    const request = readPage(page);
    const { db } = await this.reads.open(at);
    return listIngress(db, request);
  }
}
