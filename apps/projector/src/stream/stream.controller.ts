import { Controller, Get, Headers, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiGuard } from '../api/api.guard.js';
import { LedgerErrorFilter } from '../api/ledger-error.filter.js';
import { ledgerOperations } from '../api/ledger-operations.js';
import { readQuery, type Query as QueryObject } from '../api/query.js';
import { AskedBy, NeedsAuditor, type Viewer } from '../api/viewer.js';
import { FactStreams } from './fact-streams.js';
import { readTypes } from './stream-query.js';

@Controller('v1/stream')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
@NeedsAuditor('everybody')
export class StreamController {
  constructor(private readonly streams: FactStreams) {}

  /** P2: public facts as server-sent events, each once and in the order of its partition; `Last-Event-ID` goes on after that frame. */
  @Get()
  async stream(
    @Query() query: QueryObject,
    @Headers('last-event-id') lastId: string | undefined,
    @AskedBy() viewer: Viewer,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { type, from } = readQuery(query, ledgerOperations.streamFacts);
    await this.streams.open(reply, { viewer, from, lastId, wants: readTypes(type) });
  }
}
