import { Controller, Get, Param, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import {
  LedgerError,
  isShown,
  listSessions,
  readTimeline,
  sessionSearch,
  type Page,
  type SessionItem,
  type TimelineItem,
} from '@doorledger/ledger';
import type { FastifyReply } from 'fastify';
import { Projection } from '../projection.js';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads, POSITION_HEADER } from './ledger-reads.js';
import { readName, readPage, readQuery, type Query as QueryObject } from './query.js';
import { AskedBy, shownTo, type Viewer } from './viewer.js';

@Controller('v1/sessions')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
export class SessionsController {
  constructor(
    private readonly projection: Projection,
    private readonly reads: LedgerReads,
  ) {}

  @Get()
  async list(@Query() query: QueryObject, @AskedBy() viewer: Viewer): Promise<Page<SessionItem>> {
    const { at, find, ...page } = readQuery(query, ledgerOperations.listSessions);
    const request = readPage(page);
    const wanted = readName('find', find);
    const { db } = await this.reads.open(at);
    const refOf = (id: string) => this.projection.references.sessionRef(viewer.tenant, id);
    const sought = wanted === undefined ? undefined : await sessionSearch(db, wanted, refOf);
    return listSessions(db, request, shownTo(viewer), sought);
  }

  /** `:id` is a session's reference or the session's id. */
  @Get(':id/timeline')
  async timeline(
    @Param('id') id: string,
    @Query() query: QueryObject,
    @AskedBy() viewer: Viewer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Page<TimelineItem>> {
    const { at, ...page } = readQuery(query, ledgerOperations.readTimeline);
    const request = readPage(page);
    const { db, positionOf } = await this.reads.open(at);
    for (const key of [id, this.projection.references.sessionRef(viewer.tenant, id)]) {
      if (key === undefined || !(await isShown(db, key, shownTo(viewer)))) continue;
      const timeline = await readTimeline(db, key, request);
      if (!timeline) continue;
      void reply.header(POSITION_HEADER, positionOf(key));
      return timeline;
    }
    throw new LedgerError('ERR_NOT_FOUND', 'The ledger knows no such session.');
  }
}
