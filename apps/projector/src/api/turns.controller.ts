import { Controller, Get, Param, Query, Res, UseFilters } from '@nestjs/common';
import { LedgerError, readTurnDetail, type TurnDetail } from '@doorledger/ledger';
import type { FastifyReply } from 'fastify';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { LedgerReads, POSITION_HEADER } from './ledger-reads.js';
import { readQuery, type Query as QueryObject } from './query.js';

@Controller('v1/turns')
@UseFilters(LedgerErrorFilter)
export class TurnsController {
  constructor(private readonly reads: LedgerReads) {}

  @Get(':id')
  async turn(@Param('id') id: string, @Query() query: QueryObject, @Res({ passthrough: true }) reply: FastifyReply): Promise<TurnDetail> {
    const { at } = readQuery(query, ['at']);
    const { db, positionOf } = await this.reads.open(at);
    const turn = await readTurnDetail(db, id);
    if (!turn) throw new LedgerError('ERR_NOT_FOUND', 'The ledger knows no such turn.');
    void reply.header(POSITION_HEADER, positionOf(turn.sessionRef ?? id));
    return turn;
  }
}
