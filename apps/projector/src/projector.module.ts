import { Module, type DynamicModule } from '@nestjs/common';
import { IngressController } from './api/ingress.controller.js';
import { LedgerReads } from './api/ledger-reads.js';
import { LogController } from './api/log.controller.js';
import { SessionsController } from './api/sessions.controller.js';
import { TurnsController } from './api/turns.controller.js';
import { ProjectionController } from './projection.controller.js';
import { Projection } from './projection.js';

/** The projector and the ledger API. The app connects an EventLogStrategy with `transports.projector` from `projection.from`. */
@Module({})
export class ProjectorModule {
  static with(projection: Projection): DynamicModule {
    return {
      module: ProjectorModule,
      controllers: [ProjectionController, SessionsController, TurnsController, IngressController, LogController],
      providers: [{ provide: Projection, useValue: projection }, LedgerReads],
      exports: [Projection],
    };
  }
}
