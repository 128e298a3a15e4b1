import { Controller, Get, Query, UseFilters, UseGuards } from '@nestjs/common';
import {
  countQuarantined,
  listQuarantined,
  projectedTopics,
  readTopicStatus,
  type KnownDigest,
  type Page,
  type QuarantinedRecord,
  type TopicStatus,
} from '@doorledger/ledger';
import { Projection } from '../projection.js';
import { ApiGuard } from './api.guard.js';
import { LedgerErrorFilter } from './ledger-error.filter.js';
import { ledgerOperations } from './ledger-operations.js';
import { readPage, readQuery, type Query as QueryObject } from './query.js';
import { NeedsAuditor } from './viewer.js';

export interface LogStatus {
  readonly place: string;
  readonly generation: number;
  /** Records on the log that are not in the ledger. */
  readonly lag: number;
  readonly topics: readonly TopicStatus[];
  /** Records nobody can read, of topics without claims. */
  readonly quarantined: number;
  readonly digest?: KnownDigest;
  readonly problems: readonly string[];
}

@Controller('v1/log')
@UseFilters(LedgerErrorFilter)
@UseGuards(ApiGuard)
@NeedsAuditor('everybody')
export class LogController {
  constructor(private readonly projection: Projection) {}

  @Get()
  async status(@Query() query: QueryObject): Promise<LogStatus> {
    readQuery(query, ledgerOperations.readLog);
    const { log, projector, store, generation, problems } = this.projection;
    const digest = await this.projection.knownDigest;
    const topics = await readTopicStatus(log, await projector.places(), projectedTopics);
    return {
      place: log.place,
      generation,
      lag: topics.reduce((sum, topic) => sum + topic.lag, 0),
      topics,
      quarantined: await countQuarantined(store.db),
      ...(digest && { digest }),
      problems,
    };
  }

  /** Records that nobody can read, by their place. */
  @Get('quarantine')
  async quarantine(@Query() query: QueryObject): Promise<Page<QuarantinedRecord>> {
    const request = readPage(readQuery(query, ledgerOperations.listQuarantined));
    return listQuarantined(this.projection.store.db, request);
  }
}
