import { Controller, Get, Param, Query, Res, UseFilters } from '@nestjs/common';
import { LedgerError, listSessions, readTimeline, type Page, type SessionItem, type TimelineItem } from '@doorledger/ledger';
import type { FastifyReply } from 'fastify';
import { Projection } from '../projection.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { LedgerReads, POSITION_HEADER } from './ledger-reads.js';
import { pageParameters, readPage, readQuery, type Query as QueryObject } from './query.js';

@Controller('v1/sessions')
@UseFilters(LedgerErrorFilter)
export class SessionsController {
  constructor(
    private readonly projection: Projection,
    private readonly reads: LedgerReads,
  ) {}

  @Get()
  async list(@Query() query: QueryObject): Promise<Page<SessionItem>> {
    const { at, ...page } = readQuery(query, pageParameters);
    const request = readPage(page);
    const { db } = await this.reads.open(at);
    return listSessions(db, request);
  }

  /** `:id` is a session's reference or the session's id. */
  @Get(':id/timeline')
  async timeline(
    @Param('id') id: string,
    @Query() query: QueryObject,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Page<TimelineItem>> {
    const { at, ...page } = readQuery(query, pageParameters);
    const request = readPage(page);
    const { db, positionOf } = await this.reads.open(at);
    for (const key of [id, this.projection.sessionRefOf(id)]) {
      if (key === undefined) continue;
      const timeline = await readTimeline(db, key, request);
      if (!timeline) continue;
      void reply.header(POSITION_HEADER, positionOf(key));
      return timeline;
    }
    throw new LedgerError('ERR_NOT_FOUND', 'The ledger knows no such session.');
  }
}
