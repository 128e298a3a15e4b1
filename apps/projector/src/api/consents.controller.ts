import { Controller, Get, Param, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import {
  CONSENT_STATES,
  LedgerError,
  listConsents,
  readConsent,
  type ConsentDetail,
  type ConsentItem,
  type Page,
} from '@doorledger/ledger';
import type { FastifyReply } from 'fastify';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads, POSITION_HEADER } from './ledger-reads.js';
import { readName, readPage, readQuery, readWord, type Query as QueryObject } from './query.js';
import { AskedBy, type Viewer } from './viewer.js';

@Controller('v1/consents')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
export class ConsentsController {
  constructor(private readonly reads: LedgerReads) {}

  /** P2; `session` is a session's reference or the session's id. */
  @Get()
  async list(@Query() query: QueryObject, @AskedBy() viewer: Viewer): Promise<Page<ConsentItem>> {
    const { at, ...asked } = readQuery(query, ledgerOperations.listConsents);
    const page = readPage(asked);
    const filter = {
      state: readWord('state', asked.state, CONSENT_STATES),
      server: readName('server', asked.server),
      tool: readName('tool', asked.tool),
      sessions: this.reads.keysOf(readName('session', asked.session), viewer),
      turnId: readName('turn', asked.turn),
      sight: this.reads.sightOf(viewer),
    };
    const { db } = await this.reads.open(at);
    return listConsents(db, page, filter);
  }

  /** With every vote and spend that was tried, standing or void. */
  @Get(':id')
  async consent(
    @Param('id') id: string,
    @Query() query: QueryObject,
    @AskedBy() viewer: Viewer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsentDetail> {
    const { at } = readQuery(query, ledgerOperations.readConsent);
    const { db, positionOf } = await this.reads.open(at);
    const consent = await readConsent(db, id, this.reads.sightOf(viewer));
    if (!consent) throw new LedgerError('ERR_NOT_FOUND', 'The ledger knows no such request.');
    void reply.header(POSITION_HEADER, positionOf(consent.sessionRef ?? consent.turnId ?? id));
    return consent;
  }
}
