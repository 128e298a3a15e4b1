import { Controller, Get, Query, UseFilters, UseGuards } from '@nestjs/common';
import { listIngress, type IngressItem, type Page } from '@doorledger/ledger';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads } from './ledger-reads.js';
import { readName, readPage, readQuery, type Query as QueryObject } from './query.js';
import { AskedBy, NeedsAuditor, tenantOf, type Viewer } from './viewer.js';

@Controller('v1/ingress')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
@NeedsAuditor('tenant')
export class IngressController {
  constructor(private readonly reads: LedgerReads) {}

  /** `session` is a session's reference or the session's id. */
  @Get()
  async list(@Query() query: QueryObject, @AskedBy() viewer: Viewer): Promise<Page<IngressItem>> {
    const { at, session, ...page } = readQuery(query, ledgerOperations.listIngress);
    const request = readPage(page);
    const sessions = this.reads.keysOf(readName('session', session), viewer);
    const { db } = await this.reads.open(at);
    const tenant = tenantOf(viewer);
    return listIngress(db, request, { ...(sessions && { sessions }), ...(tenant !== undefined && { tenant }) });
  }
}
