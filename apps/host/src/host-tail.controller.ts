import { Controller, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { transports } from '@doorledger/event-log/transport';
import { FaithfulFilter } from './faithful.filter.js';
import { Host } from './host.js';

/** Hands the host's tail to its view of the sessions. */
@Controller()
@UseFilters(FaithfulFilter)
export class HostTailController {
  constructor(private readonly host: Host) {}

  @EventPattern<Record<string, RecordBatch>>(topics.session.name, transports.hostTail)
  session(batch: RecordBatch): void {
    this.host.life.view.apply(batch);
  }
}
