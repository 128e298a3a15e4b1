import { Controller, Get, Param, Query, Res, UseFilters, UseGuards } from '@nestjs/common';
import { LedgerError, isShown, readTurnDetail, type TurnDetail } from '@doorledger/ledger';
import type { FastifyReply } from 'fastify';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads, POSITION_HEADER } from './ledger-reads.js';
import { readQuery, type Query as QueryObject } from './query.js';
import { AskedBy, shownTo, type Viewer } from './viewer.js';

@Controller('v1/turns')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
export class TurnsController {
  constructor(private readonly reads: LedgerReads) {}

  @Get(':id')
  async turn(
    @Param('id') id: string,
    @Query() query: QueryObject,
    @AskedBy() viewer: Viewer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TurnDetail> {
    const { at } = readQuery(query, ledgerOperations.readLedgerTurn);
    const { db, positionOf } = await this.reads.open(at);
    const turn = await readTurnDetail(db, id);
    if (!turn || !(await isShown(db, turn.sessionRef ?? id, shownTo(viewer))))
      throw new LedgerError('ERR_NOT_FOUND', 'The ledger knows no such turn.');
    void reply.header(POSITION_HEADER, positionOf(turn.sessionRef ?? id));
    return turn;
  }
}
