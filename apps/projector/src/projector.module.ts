import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { Access } from '../../host/src/access.js';
import { ACCESS } from './api/api.guard.js';
import { CensusController } from './api/census.controller.js';
import { ConsentsController } from './api/consents.controller.js';
import { IngressController } from './api/ingress.controller.js';
import { LedgerReads } from './api/ledger-reads.js';
import { LogController } from './api/log.controller.js';
import { SessionsController } from './api/sessions.controller.js';
import { ToolCallsController } from './api/tool-calls.controller.js';
import { ToolSessionsController } from './api/tool-sessions.controller.js';
import { TurnsController } from './api/turns.controller.js';
import { WebhooksController } from './api/webhooks.controller.js';
import { MeController } from './sign-in/me.controller.js';
import { FactStreams, STREAM_WATCH, type StreamWatch } from './stream/fact-streams.js';
import { StreamController } from './stream/stream.controller.js';
import { ProjectionController } from './projection.controller.js';
import { Projection } from './projection.js';
import { WebhookSender } from './webhook-sender.js';

/** The projector and the ledger API. The app connects an EventLogStrategy with `transports.projector` from `projection.from`. */
@Module({})
export class ProjectorModule {
  static with(projection: Projection, access: Access, sender: WebhookSender, watch: StreamWatch): DynamicModule {
    return ProjectorModule.of(projection, access, sender, watch, [TurnsController]);
  }

  /** In one process with a host, whose `GET /v1/turns/:id` says what this one's would, and to the turn's caller its output (D19). */
  static besideHost(projection: Projection, access: Access, sender: WebhookSender, watch: StreamWatch): DynamicModule {
    return ProjectorModule.of(projection, access, sender, watch, []);
  }

  private static of(
    projection: Projection,
    access: Access,
    sender: WebhookSender,
    watch: StreamWatch,
    more: readonly Type[],
  ): DynamicModule {
    return {
      module: ProjectorModule,
      controllers: [
        ProjectionController,
        SessionsController,
        ToolSessionsController,
        ToolCallsController,
        ConsentsController,
        IngressController,
        CensusController,
        LogController,
        StreamController,
        WebhooksController,
        MeController,
        ...more,
      ],
      providers: [
        { provide: Projection, useValue: projection },
        LedgerReads,
        FactStreams,
        { provide: ACCESS, useValue: access },
        { provide: STREAM_WATCH, useValue: watch },
        { provide: WebhookSender, useValue: sender },
      ],
      exports: [Projection],
    };
  }
}
