import { Controller, Get, Query, UseFilters, UseGuards } from '@nestjs/common';
import { TOOL_CALL_STATES, listToolCalls, type Page, type ToolCallItem } from '@doorledger/ledger';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads } from './ledger-reads.js';
import { readName, readPage, readQuery, readWord, type Query as QueryObject } from './query.js';
import { AskedBy, shownTo, type Viewer } from './viewer.js';

@Controller('v1/tool-calls')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
export class ToolCallsController {
  constructor(private readonly reads: LedgerReads) {}

  /** P2; `session` is a session's reference or the session's id. */
  @Get()
  async list(@Query() query: QueryObject, @AskedBy() viewer: Viewer): Promise<Page<ToolCallItem>> {
    const { at, ...asked } = readQuery(query, ledgerOperations.listToolCalls);
    const page = readPage(asked);
    const filter = {
      state: readWord('state', asked.state, TOOL_CALL_STATES),
      sessions: this.reads.keysOf(readName('session', asked.session), viewer),
      turnId: readName('turn', asked.turn),
      server: readName('server', asked.server),
      tool: readName('tool', asked.tool),
      ...shownTo(viewer),
    };
    const { db } = await this.reads.open(at);
    return listToolCalls(db, page, filter);
  }
}
