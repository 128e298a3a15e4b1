import { Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from '@doorledger/observability';
import type { Access } from '../../../host/src/access.js';
import { ACCESS } from '../api/api.guard.js';
import { CONSOLE_FILES, ConsoleController } from './console.controller.js';
import { consoleFiles } from './console-files.js';

/** The console at `/`, where the setting `console` has it and one was built. */
@Module({})
export class ConsoleModule {
  static with(isWanted: boolean, access: Pick<Access, 'guard'>, logger: Logger): DynamicModule {
    const files = isWanted ? consoleFiles() : new Map<string, never>();
    if (isWanted && files.size === 0) logger.warn('No console was built here: "node scripts/setup.mjs build" builds it.');
    return {
      module: ConsoleModule,
      controllers: files.size === 0 ? [] : [ConsoleController],
      providers: [
        { provide: CONSOLE_FILES, useValue: files },
        { provide: ACCESS, useValue: access },
      ],
    };
  }
}
