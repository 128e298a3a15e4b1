import { Controller, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { topics } from '@doorledger/contracts';
import type { RecordBatch } from '@doorledger/event-log';
import { transports } from '@doorledger/event-log/transport';
import { FaithfulFilter } from './faithful.filter.js';
import { Host } from './host.js';

/** Hands what the host's tail meets to its life. */
@Controller()
@UseFilters(FaithfulFilter)
export class HostTailController {
  constructor(private readonly host: Host) {}

  @EventPattern<Record<string, RecordBatch>>(topics.session.name, transports.hostTail)
  session(batch: RecordBatch): void {
    this.host.life.met(batch);
  }

  @EventPattern<Record<string, RecordBatch>>(topics.toolSession.name, transports.hostTail)
  toolSession(batch: RecordBatch): void {
    this.host.life.met(batch);
  }

  @EventPattern<Record<string, RecordBatch>>(topics.spend.name, transports.hostTail)
  spend(batch: RecordBatch): void {
    this.host.life.met(batch);
  }

  @EventPattern<Record<string, RecordBatch>>(topics.system.name, transports.hostTail)
  system(batch: RecordBatch): void {
    this.host.life.met(batch);
  }
}
