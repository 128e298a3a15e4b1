import { Module, type DynamicModule } from '@nestjs/common';
import { HostTailController } from './host-tail.controller.js';
import { Host } from './host.js';

@Module({})
export class HostModule {
  static with(host: Host): DynamicModule {
    return {
      module: HostModule,
      controllers: [HostTailController],
      providers: [{ provide: Host, useValue: host }],
      exports: [Host],
    };
  }
}
