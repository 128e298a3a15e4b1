import { Controller, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { transports } from '@doorledger/event-log/transport';
import { FaithfulFilter } from '../../host/src/faithful.filter.js';
import { Projection } from './projection.js';

type Batches = Record<string, RecordBatch>;

/** Hands the log's batches to the projector; the next one of a partition waits until this one is in the ledger. */
@Controller()
@UseFilters(FaithfulFilter)
export class ProjectionController {
  constructor(private readonly projection: Projection) {}

  @EventPattern<Batches>(topics.session.name, transports.projector)
  session(batch: RecordBatch): Promise<void> {
    return this.projection.take(batch);
  }

  @EventPattern<Batches>(topics.spend.name, transports.projector)
  spend(batch: RecordBatch): Promise<void> {
    return this.projection.take(batch);
  }

  @EventPattern<Batches>(topics.toolSession.name, transports.projector)
  toolSession(batch: RecordBatch): Promise<void> {
    return this.projection.take(batch);
  }

  @EventPattern<Batches>(topics.ingress.name, transports.projector)
  ingress(batch: RecordBatch): Promise<void> {
    return this.projection.take(batch);
  }

  @EventPattern<Batches>(topics.system.name, transports.projector)
  system(batch: RecordBatch): Promise<void> {
    return this.projection.take(batch);
  }

  @EventPattern<Batches>(topics.private.name, transports.projector)
  private(batch: RecordBatch): Promise<void> {
    return this.projection.take(batch);
  }
}
