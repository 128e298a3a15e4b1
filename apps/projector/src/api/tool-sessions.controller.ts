import { Controller, Get, Query, UseFilters, UseGuards } from '@nestjs/common';
import {
  CLOSE_REASONS,
  TOOL_SESSION_STATES,
  listToolSessions,
  readToolSessionSummary,
  type Page,
  type ToolSessionItem,
  type ToolSessionSummary,
} from '@doorledger/ledger';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads } from './ledger-reads.js';
import { readName, readPage, readQuery, readWord, type Query as QueryObject } from './query.js';
import { AskedBy, NeedsAuditor, shownTo, type Viewer } from './viewer.js';

const SINCE_MS = { hour: 3_600_000, day: 86_400_000 } as const;

@Controller('v1/tool-sessions')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
export class ToolSessionsController {
  constructor(private readonly reads: LedgerReads) {}

  /** P2; `session` is a session's reference or the session's id. */
  @Get()
  async list(@Query() query: QueryObject, @AskedBy() viewer: Viewer): Promise<Page<ToolSessionItem>> {
    const { at, ...asked } = readQuery(query, ledgerOperations.listToolSessions);
    const page = readPage(asked);
    const filter = {
      state: readWord('state', asked.state, TOOL_SESSION_STATES),
      sessions: this.reads.keysOf(readName('session', asked.session), viewer),
      server: readName('server', asked.server),
      reason: readWord('reason', asked.reason, CLOSE_REASONS),
      ...shownTo(viewer),
    };
    const { db } = await this.reads.open(at);
    return listToolSessions(db, page, filter, Date.now());
  }

  /** Counted since an hour or a day ago by this process's clock. */
  @Get('summary')
  @NeedsAuditor('everybody')
  async summary(@Query() query: QueryObject): Promise<ToolSessionSummary> {
    const { at, since } = readQuery(query, ledgerOperations.countToolSessions);
    const ms = SINCE_MS[readWord('since', since, ['hour', 'day'] as const) ?? 'hour'];
    const { db } = await this.reads.open(at);
    return readToolSessionSummary(db, Date.now() - ms);
  }
}
