import { Controller, Get, Query, UseFilters, UseGuards } from '@nestjs/common';
import { topics } from '@doorledger/contracts';
import { LedgerError, readCensus, readCensusCheck, type Census, type CensusCheck } from '@doorledger/ledger';
import { Projection } from '../projection.js';
import { readCensusRequest } from './census-query.js';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { LedgerReads } from './ledger-reads.js';
import { readPage, readQuery, type Query as QueryObject } from './query.js';
import { AskedBy, NeedsAuditor, tenantOf, type Viewer } from './viewer.js';

/** P3 */
const MAX_WAIT_MS = 2000;
const TOLD_ON = [topics.ingress.name, topics.system.name];

@Controller('v1/census')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
export class CensusController {
  constructor(
    private readonly projection: Projection,
    private readonly reads: LedgerReads,
  ) {}

  /** P2: how the doors answered, by outcome, cause, door and window; of the last hour where no time is given; to auditors of one tenant, its people. */
  @Get()
  @NeedsAuditor('tenant')
  async census(@Query() query: QueryObject, @AskedBy() viewer: Viewer): Promise<Census> {
    const { at, ...asked } = readQuery(query, ledgerOperations.readCensus);
    const tenant = tenantOf(viewer);
    const request = { ...readCensusRequest(asked, Date.now()), ...(tenant !== undefined && { tenant }) };
    await this.reads.open(at);
    return this.projection.store.snapshot((db) => readCensus(db, request));
  }

  /** E12: whether every host's places add up, as of what is on the log now. */
  @Get('check')
  @NeedsAuditor('everybody')
  async check(@Query() query: QueryObject): Promise<CensusCheck> {
    const page = readPage(readQuery(query, ledgerOperations.checkCensus));
    await this.#catchUp();
    return this.projection.store.snapshot((db) => readCensusCheck(db, page));
  }

  /** A place is called unknown only where the ledger has everything that a host had written. */
  async #catchUp(): Promise<void> {
    const { log, projector } = this.projection;
    const reached = TOLD_ON.map(async (topic) => {
      const ranges = await log.ends(topic);
      return Promise.all(
        ranges.map(
          async ({ start, end }, partition) => end === start || projector.reach({ topic, partition, offset: end - 1 }, MAX_WAIT_MS),
        ),
      );
    });
    if ((await Promise.all(reached)).flat().includes(false))
      throw new LedgerError('ERR_LEDGER_BEHIND', 'The ledger has not read all of the doors’ records yet. Try again soon.');
  }
}
