import { Controller, Get, Query, UseFilters, UseGuards } from '@nestjs/common';
import { listIngress, type IngressItem, type Page } from '@doorledger/ledger';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads } from './ledger-reads.js';
import { readPage, readQuery, type Query as QueryObject } from './query.js';
import { NeedsAuditor } from './viewer.js';

@Controller('v1/ingress')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
@NeedsAuditor()
export class IngressController {
  constructor(private readonly reads: LedgerReads) {}

  @Get()
  async list(@Query() query: QueryObject): Promise<Page<IngressItem>> {
    const { at, ...page } = readQuery(query, ledgerOperations.listIngress);
    const request = readPage(page);
    const { db } = await this.reads.open(at);
    return listIngress(db, request);
  }
}
